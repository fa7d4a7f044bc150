# SPDX-License-Identifier: MIT
"""A mixture of experts: each layer reads how many tokens go to which expert, to split them. The reads come every step and
in each layer, but the device has long kernels, and hardly idles: nothing to mend."""
# truth: class=gpu cause=device_compute steps=40 ahead=any
# truth: never=launch-bound|input-bound|sync-tensor-to-host|sync-scalar-read|sync-repeated-line|host-python
# cudasim: CUDASIM_KERNELS=*=800us
import torch
from stamps import Stamps
from torch import nn


class Experts(nn.Module):
    def __init__(self, size=32, experts=4):
        super().__init__()
        self.gate = nn.Linear(size, experts)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, size))
                                     for _ in range(experts))

    def forward(self, x):
        weights = self.gate(x).softmax(1)
        weight, chosen = weights.max(1)
        order = chosen.argsort()
        each = torch.arange(len(self.experts), device=x.device)
        counts = (chosen.unsqueeze(1) == each).sum(0).tolist()
        parts = x.index_select(0, order).split(counts)
        out = torch.cat([expert(part) for expert, part in zip(self.experts, parts) if len(part)])
        back = torch.empty_like(order).scatter_(0, order, torch.arange(len(order), device=x.device))
        return x + out.index_select(0, back) * weight.unsqueeze(1)


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(60, 32), Experts(), Experts(), nn.Linear(32, 60)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    tokens = torch.randint(0, 60, (4096,), device="cuda")
    clock = Stamps()
    for step in range(40):
        at = (step * 64) % 4000
        loss = nn.functional.cross_entropy(model(tokens[at:at + 64]), tokens[at + 1:at + 65])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        clock.step()
    clock.end()


main()
