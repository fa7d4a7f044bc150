# SPDX-License-Identifier: MIT
"""Sequences of all lengths: no step takes as long as another, so that each of them is an outlier."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound|step-outlier
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch import nn


def main():
    torch.manual_seed(0)
    cell, head = nn.Linear(32, 32).cuda(), nn.Linear(32, 1).cuda()
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.01)
    start = torch.randn(16, 32).cuda()
    clock = Stamps()
    for step in range(60):
        state = start
        for _ in range(1 + (step * 7919) % 31):
            state = torch.tanh(cell(state))
        loss = head(state).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 9:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
