# SPDX-License-Identifier: MIT
"""A layer whose backward pass is written in Python: the host computes there, and launches next to nothing."""
# truth: class=cpu cause=idle_host rule=host-python steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=100us
import time

import torch
from stamps import Stamps
from torch import nn
from workload import network, regression, train_step


class Quantise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        until, ctx.levels = time.perf_counter() + 0.006, 0
        while time.perf_counter() < until:  # truth: or here
            ctx.levels += 1  # truth: or here
        return gradient


class Quantised(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = network()

    def forward(self, x):
        return self.net(Quantise.apply(x + self.net[2].bias * 0))


def main():
    model = Quantised()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.step()
    clock.end()


main()
