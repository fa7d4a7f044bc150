# SPDX-License-Identifier: MIT
"""The loss is read in each step, so the device stands still while the host does its own work."""
# truth: class=cpu cause=idle_sync
# cudasim: CUDASIM_KERNELS=*=800us
import time

import torch
from torch import nn

STEPS = 70


def keep_books(seconds):
    """Host work that could run beside the device: metrics, logging."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(64, 32).cuda()
    y = x.sum(1, keepdim=True)
    total = 0.0
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # sync
        keep_books(0.004)
    print(f"mean loss {total / STEPS:.4f}")


main()
