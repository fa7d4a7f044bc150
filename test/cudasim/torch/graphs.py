# SPDX-License-Identifier: MIT
"""Replay a captured training step; its losses are those of ordinary steps."""
import sys

import simlog
import torch
from torch import nn


def losses(captured):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.0), nn.Linear(32, 1)).cuda()
    x = torch.randn(16, 8).cuda()
    y = x.sum(1, keepdim=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step():
        optimizer.zero_grad(set_to_none=False)
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        found = [step().item() for _ in range(3)]
    torch.cuda.current_stream().wait_stream(side)
    if not captured:
        return found + [step().item() for _ in range(5)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    for _ in range(5):
        graph.replay()
        found.append(loss.item())
    return found


def main():
    eager, replayed = losses(False), losses(True)
    worst = max(abs(a - b) for a, b in zip(eager, replayed))
    failed = int(worst > 1e-5) + bool(simlog.uncomputed())
    if failed:
        print(f"not ok replay: {replayed} instead of {eager}; without effect: {simlog.uncomputed()}")
    print(f"{2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
