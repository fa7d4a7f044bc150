# SPDX-License-Identifier: MIT
"""What most scripts need and none is about: a small network, data for it, and work that takes a known time."""
import time

import torch
from torch import nn
from torch.utils.data import Dataset


class Images(Dataset):
    """So many samples, each of which takes that long to read and decode."""

    def __init__(self, count, seconds):
        self.count, self.seconds = count, seconds

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.full((32,), index / self.count)


def network(outputs=1):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, outputs)).cuda()


def regression(rows=64):
    """A batch on the device, whose target is the sum of the inputs."""
    x = torch.randn(rows, 32).cuda()
    return x, x.sum(1, keepdim=True)


def train_step(model, optimizer, x, y):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def compute(milliseconds):
    """Plain Python that keeps a processor and the interpreter busy."""
    until = time.perf_counter() + milliseconds / 1000
    while time.perf_counter() < until:
        pass


def capture_step(model, optimizer, x, y):
    """The whole step as one graph, after some steps on a stream beside it; the graph and its loss."""
    def run():
        optimizer.zero_grad(set_to_none=False)
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = run()
    return graph, loss
