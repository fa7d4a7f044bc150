# SPDX-License-Identifier: MIT
"""An eager training loop that is all host work: prints the median time of a step in ns. Used by bench_torch.sh."""
import statistics
import sys
import time

import torch
from torch import nn


def main(steps):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, y = torch.randn(64, 32).cuda(), torch.randn(64, 1).cuda()
    times = []
    for _ in range(steps):
        begin = time.perf_counter_ns()
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
        times.append(time.perf_counter_ns() - begin)
    print(int(statistics.median(times[steps // 10:])))


main(int(sys.argv[1]))
