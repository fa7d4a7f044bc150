# SPDX-License-Identifier: MIT
"""A small training in which PyTorch's own profiler notes what a tracer must see."""
import json
import os
import sys
import threading

import torch
from torch import nn
from torch.autograd import profiler
from torch.utils.data import DataLoader, TensorDataset

HERE = os.path.abspath(__file__)


def lines(tag):
    """Lines of this file that end in a comment with the tag."""
    with open(HERE, encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1) if line.rstrip().endswith("# at: " + tag)]


def ranges():
    """Names that follow each other at one address, long and wide ones, ends in any order."""
    for number in range(40):
        with profiler.record_function("part %02d" % (number % 4)):  # at: range
            torch.ones(2).add_(1)
    with profiler.record_function("n" * 300):  # at: range
        torch.ones(1)
    with profiler.record_function("größe 数据"):  # at: range
        torch.ones(1)

    def steps(name):
        with profiler.record_function(name):  # at: range
            yield
            yield
    a, b = steps("first begun"), steps("last begun")
    next(a), next(b), next(a)
    next(a, None), next(b), next(b, None)
    try:
        with profiler.record_function("fails"):  # at: range
            torch.ones(2) + torch.ones(3)
    except RuntimeError:
        pass


def nested(depth):
    if depth > 0:
        with profiler.record_function("depth"):  # at: range
            nested(depth - 1)


def train(workers):
    data = TensorDataset(torch.randn(64, 8), torch.randn(64, 1))
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(data, batch_size=16, num_workers=workers):  # at: loader
        optimizer.zero_grad()  # at: zero_grad
        loss = nn.functional.mse_loss(model(x), y)  # at: forward
        loss.backward()
        optimizer.step()  # at: step
        print(loss.item())


def other_thread():
    for _ in range(50):
        torch.ones(4).sum().item()


def tree(profile):
    """(name, name of the one around it) of all operators in the region, as the profiler nests."""
    found = []

    def walk(nodes, parent):
        for node in nodes:
            if node.tag.name != "TorchOp":
                walk(node.children, parent)
                continue
            if parent is not None or node.name == "the region":
                found.append((node.name, parent))
                walk(node.children, node.name)
            else:
                walk(node.children, None)
    walk(profile.kineto_results.experimental_event_tree(), None)
    return found


def numbers(profile):
    """(name, number) of what the profiler numbers, which gives some a number that PyTorch does not."""
    found = [(event.name(), event.sequence_nr()) for event in profile.kineto_results.events()]
    return [event for event in found if event[1] >= 0 and not event[0].startswith("autograd::engine::")]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    with profiler.profile() as profile:
        with profiler.record_function("the region"):  # at: range
            ranges()
            nested(100)
            train(0)
            train(2)
    thread = threading.Thread(target=other_thread)
    thread.start()
    thread.join()
    if len(sys.argv) > 1:
        tags = {tag: lines(tag) for tag in ("range", "loader", "zero_grad", "step", "forward")}
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            json.dump({"file": HERE, "events": tree(profile), "lines": tags, "numbers": numbers(profile)}, file)


if __name__ == "__main__":
    main()
