# SPDX-License-Identifier: MIT
"""Fifty steps of a small network; prints the same on every run."""
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    x = torch.randn(64, 8)
    y = (x @ torch.randn(8, 1)).cuda()
    x = x.cuda()
    losses = []
    for _ in range(50):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    for step, value in enumerate(torch.stack(losses).tolist()):
        print(f"step {step} loss {value:.5f}")


main()
