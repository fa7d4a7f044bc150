# SPDX-License-Identifier: MIT
"""A contrastive batch larger than memory: chunks are embedded without gradients, the loss is derived for the embeddings, and each chunk runs again."""
# truth: class=gpu cause=device_compute steps=50 ahead=any
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=120us
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from stamps import Stamps

class Tower(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)

class GradCache:
    def __init__(self, towers, chunk):
        self.towers, self.chunk = towers, chunk

    def step(self, *inputs):
        with torch.no_grad():
            cached = [torch.cat([tower(part) for part in x.split(self.chunk)]) for tower, x in zip(self.towers, inputs)]
        cached = [c.requires_grad_() for c in cached]
        logits = cached[0] @ cached[1].T / 0.07
        labels = torch.arange(len(logits), device=logits.device)
        loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
        loss.backward()
        for tower, x, c in zip(self.towers, inputs, cached):
            for part, grad in zip(x.split(self.chunk), c.grad.split(self.chunk)):
                surrogate = (tower(part) * grad).sum()
                surrogate.backward()
        return loss.detach()

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(640, 24), torch.randn(640, 40)), batch_size=64, shuffle=True, pin_memory=True, drop_last=True)
image, text = Tower(24).cuda(), Tower(40).cuda()
optimizer = torch.optim.AdamW([*image.parameters(), *text.parameters()], lr=1e-3)
cache = GradCache([image, text], chunk=16)
clock = Stamps()
for epoch in range(5):
    for a, b in loader:
        optimizer.zero_grad()
        loss = cache.step(a.cuda(non_blocking=True), b.cuda(non_blocking=True))
        optimizer.step()
        clock.step()
    print("epoch", epoch, loss.item())
clock.end()
