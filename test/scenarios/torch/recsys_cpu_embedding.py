# SPDX-License-Identifier: MIT
"""A recommender whose embedding tables stay in the host's memory: each step looks up there, moves the rows over, and brings their gradients back."""
# truth: class=cpu cause=idle_host steps=60
# truth: never=input-bound|launch-bound
# cudasim: CUDASIM_KERNELS=*=40us
import torch
import torch.nn.functional as F
from torch import nn
from stamps import Stamps

class Recommender(nn.Module):
    def __init__(self, fields=12, rows=20000, dim=16):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, dim, sparse=True, mode="sum") for _ in range(fields))
        self.tower = nn.Sequential(nn.Linear(fields * dim + 8, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()

    def forward(self, dense, sparse):
        looked_up = [table(index) for table, index in zip(self.tables, sparse)]
        pooled = torch.cat(looked_up, 1).to("cuda")
        return self.tower(torch.cat([dense, pooled], 1)).squeeze(1)

torch.set_num_threads(1)
torch.manual_seed(0)
model = Recommender()
dense_optimizer = torch.optim.Adagrad(model.tower.parameters(), lr=0.01)
sparse_optimizer = torch.optim.SparseAdam(list(model.tables.parameters()), lr=0.01)
log = [(torch.rand(256, 8), torch.randint(0, 20000, (12, 256, 10)), torch.randint(0, 2, (256,)).float()) for _ in range(20)]
clock = Stamps()
for epoch in range(3):
    for dense, sparse, clicks in log:
        dense, clicks = dense.cuda(non_blocking=True), clicks.cuda(non_blocking=True)
        logits = model(dense, sparse)
        loss = F.binary_cross_entropy_with_logits(logits, clicks)
        dense_optimizer.zero_grad()
        sparse_optimizer.zero_grad()
        loss.backward()
        dense_optimizer.step()
        sparse_optimizer.step()
        clock.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
clock.end()
