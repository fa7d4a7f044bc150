# SPDX-License-Identifier: MIT
"""Trains with torch.compile, with breaks of its graph and compilations anew whose number is known:
compiled.py breaks|whole FILE

FILE gets what Dynamo counted, and the lines of the breaks, as JSON."""
import json
import sys

import torch
import torch._dynamo
from torch import nn

STEPS = 24


def grow(x):
    return x.relu() + 1


def two_breaks(model, x, scale):
    y = model(x)
    torch._dynamo.graph_break()  # a break
    y = y * scale
    print(".", end="")  # a break
    return grow(y).sum()


def no_break(model, x, scale):
    return grow(model(x) * scale).sum()


def double(x):
    return (x * 2).sum()


def lines_of_breaks():
    with open(__file__, encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1) if line.endswith("# a break\n") and "number" not in line]


def train(mode):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = nn.Linear(8, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    loss_of = torch.compile(two_breaks if mode == "breaks" else no_break, backend="eager")
    fixed = torch.compile(double, backend="eager", dynamic=False)
    for step in range(STEPS):
        rows = 4 + (step // 6 if mode == "breaks" else 0)
        loss_of(model, torch.ones(rows, 8, device=device), 2.0).backward()
        fixed(torch.ones(rows, device=device))
        optimizer.step()
        optimizer.zero_grad()
    print()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train(sys.argv[1])
    counters = torch._dynamo.utils.counters
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({"steps": STEPS, "compiled": counters["frames"]["ok"], "lines": lines_of_breaks(),
                   "breaks": sum(counters["graph_break"].values())}, file)


if __name__ == "__main__":
    main()
