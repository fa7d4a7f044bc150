# SPDX-License-Identifier: MIT
"""Allocations of a training and of what does not fit, with what PyTorch itself counts of them."""
import json
import sys

import torch
from torch import nn

KEYS = ("allocated_bytes.all.peak", "reserved_bytes.all.peak", "allocation.all.allocated", "num_alloc_retries",
        "num_ooms", "num_device_alloc", "num_device_free", "allocated_bytes.all.current")


def train():
    net = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256)).to("cuda")
    optimizer = torch.optim.Adam(net.parameters())
    x = torch.ones(512, 256, device="cuda")
    kept = []
    for step in range(15):
        optimizer.zero_grad(set_to_none=True)
        if step in (5, 9):
            kept.append(torch.empty(37 << 20, dtype=torch.uint8, device="cuda"))
        net(x).pow(2).mean().backward()
        optimizer.step()


def fill():
    kept = []
    try:
        while True:
            kept.append(torch.empty(1 << 30, dtype=torch.uint8, device="cuda"))
    except torch.OutOfMemoryError:
        pass
    several = len(kept)
    del kept
    torch.empty(several * (1 << 29) + (1 << 29), dtype=torch.uint8, device="cuda")  # needs what is cached
    try:
        torch.empty(1 << 45, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        pass


def main():
    train()
    fill()
    torch.empty(1 << 20, pin_memory=True)
    statistics = torch.cuda.memory_stats()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({key: statistics[key] for key in KEYS}, file)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
