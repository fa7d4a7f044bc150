# SPDX-License-Identifier: MIT
"""A hand-written GRU cell unrolled over 3, 6, then 12 time steps, with batches that shrink as sequences grow: steps of three lengths."""
# truth: class=gpu cause=device_compute steps=72 ahead=any
# truth: never=launch-bound|step-outlier
# cudasim: CUDASIM_KERNELS=*=100us
import torch
import torch.nn.functional as F
from torch import nn
from stamps import Stamps

class Cell(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.x2h, self.h2h = nn.Linear(size, 3 * size), nn.Linear(size, 3 * size)

    def forward(self, x, h):
        xr, xz, xn = self.x2h(x).chunk(3, 1)
        hr, hz, hn = self.h2h(h).chunk(3, 1)
        z = torch.sigmoid(xz + hz)
        return (1 - z) * torch.tanh(xn + torch.sigmoid(xr + hr) * hn) + z * h

class LanguageModel(nn.Module):
    def __init__(self, vocab=30, size=24):
        super().__init__()
        self.embed, self.cell, self.head = nn.Embedding(vocab, size), Cell(size), nn.Linear(size, vocab)

    def forward(self, tokens, h):
        outputs = []
        for t in range(tokens.shape[1]):
            h = self.cell(self.embed(tokens[:, t]), h)
            outputs.append(h)
        return self.head(torch.stack(outputs, 1)), h

torch.manual_seed(0)
text = torch.randint(0, 30, (20000,))
model = LanguageModel().cuda()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
clock = Stamps()
for batch, length in ((64, 3), (32, 6), (16, 12)):
    h = torch.zeros(batch, 24, device="cuda")
    for i in range(24):
        at = torch.randint(0, 19000, (batch, 1)) + torch.arange(length + 1)
        chunk = text[at].pin_memory().to("cuda", non_blocking=True)
        h = h.detach()
        logits, h = model(chunk[:, :-1], h)
        loss = F.cross_entropy(logits.flatten(0, 1), chunk[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        clock.step()
    print(f"length {length}: perplexity {loss.exp().item():.1f}")
clock.end()
