# SPDX-License-Identifier: MIT
"""A batch sampler sorts all lengths into buckets before the first batch of each short epoch."""
# truth: class=io cause=idle_input rule=input-bound|input-first-batch steps=60
# truth: never=launch-bound|input-workers-saturated
# cudasim: CUDASIM_KERNELS=*=150us
import random

import torch
from stamps import Stamps
from torch.utils.data import DataLoader, Sampler, TensorDataset
from workload import compute, network, train_step


class Buckets(Sampler):
    def __init__(self, count, batch):
        self.count, self.batch, self.chance = count, batch, random.Random(0)

    def __len__(self):
        return self.count // self.batch

    def __iter__(self):
        compute(60)  # looks at the length of every sentence
        order = list(range(self.count))
        self.chance.shuffle(order)
        for first in range(0, self.count, self.batch):
            yield order[first:first + self.batch]


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(160, 32)
    loader = DataLoader(TensorDataset(data, data.sum(1, keepdim=True)), batch_sampler=Buckets(160, 16))
    clock = Stamps()
    for _ in range(6):
        for x, y in loader:  # truth: here
            clock.spent("idle_input")
            train_step(model, optimizer, x.cuda(non_blocking=True), y.cuda(non_blocking=True))
            clock.step()
    clock.end()


main()
