# SPDX-License-Identifier: MIT
"""A framework of nested callbacks: the loader decodes in the process, and a callback computes edit distances in Python."""
# truth: class=io|cpu cause=idle_input|idle_host rule=input-bound|input-single-process|input-decode|host-python steps=60
# truth: never=launch-bound|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=120us
import random

import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader
from workload import Images, network


class Forward:
    def around(self, state, inner):
        x = state["x"] = state["x"].cuda(non_blocking=True)
        state["loss"] = nn.functional.mse_loss(state["model"](x), x.sum(1, keepdim=True))
        inner()


class Backward:
    def around(self, state, inner):
        state["optimizer"].zero_grad()
        state["loss"].backward()
        inner()


class Update:
    def around(self, state, inner):
        state["optimizer"].step()
        inner()


class WordErrors:
    """What the last epoch's transcripts differ by."""

    def __init__(self, words=125):
        random.seed(0)
        self.said, self.heard = ([random.randrange(50) for _ in range(words)] for _ in range(2))
        self.total = 0

    def distance(self, a, b):
        row = list(range(len(b) + 1))
        for i, x in enumerate(a):  # truth: or here
            left, diagonal = i + 1, i  # truth: or here
            for j, y in enumerate(b):  # truth: or here
                best = diagonal if x == y else 1 + min(diagonal, left, row[j + 1])  # truth: or here
                diagonal, row[j], left = row[j + 1], left, best  # truth: or here
            row[len(b)] = left  # truth: or here
        return row[-1]

    def around(self, state, inner):
        inner()
        state["clock"].mark()
        self.total += self.distance(self.said, self.heard)  # truth: or here
        state["clock"].spent("idle_host")


class Trainer:
    def __init__(self, callbacks):
        self.callbacks = callbacks

    def call(self, state, position=0):
        if position < len(self.callbacks):
            self.callbacks[position].around(state, lambda: self.call(state, position + 1))

    def fit(self, model, loader, clock):
        state = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.01), "clock": clock}
        clock.mark()
        for state["x"] in loader:  # truth: here
            clock.spent("idle_input")
            self.call(state)
            clock.step()
            clock.mark()


def main():
    loader = DataLoader(Images(60 * 16, 0.0005), batch_size=16)
    clock = Stamps()
    Trainer([Forward(), Backward(), WordErrors(), Update()]).fit(network(), loader, clock)
    clock.end()


main()
