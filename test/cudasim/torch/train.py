# SPDX-License-Identifier: MIT
"""Train the same network on the device and on the CPU for 50 steps; losses agree to 4 digits."""
import sys

import simlog
import torch
from torch import nn

OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05),
    "sgd momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "sgd one by one": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, foreach=False),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01),
    "adam one by one": lambda p: torch.optim.Adam(p, lr=0.01, foreach=False),
    "adamw fused": lambda p: torch.optim.AdamW(p, lr=0.01, fused=True),
}


def losses(device, optimizer, classify):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4 if classify else 1)).to(device)
    x = torch.randn(64, 8)
    y = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long() if classify else x @ torch.randn(8, 1)
    x, y = x.to(device), y.to(device)
    step, found = optimizer(model.parameters()), []
    loss_of = nn.CrossEntropyLoss() if classify else nn.MSELoss()
    for _ in range(50):
        loss = loss_of(model(x), y)
        step.zero_grad()
        loss.backward()
        step.step()
        found.append(loss.item())
    return found


def main():
    failed = 0
    for name, optimizer in OPTIMIZERS.items():
        for classify in (False, True):
            here, there = (losses(device, optimizer, classify) for device in ("cpu", "cuda"))
            worst = max(abs(a - b) / abs(a) for a, b in zip(here, there))
            if worst > 1e-4 or here[-1] >= here[0]:
                failed += 1
                print(f"not ok {name}: {there[-1]} instead of {here[-1]}, off by {worst:.1e}")
    missing = simlog.uncomputed()
    for kernel in missing:
        print(f"not ok kernel without effect: {kernel}")
    if not simlog.operations():
        failed += 1
        print("not ok no log: set CUDASIM_LOG")
    failed += bool(missing)
    print(f"{2 * len(OPTIMIZERS) + 2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
