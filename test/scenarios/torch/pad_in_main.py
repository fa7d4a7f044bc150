# SPDX-License-Identifier: MIT
"""Sentences of all lengths are padded by the collate function, in Python lists and in the training process."""
# truth: class=io cause=idle_input rule=input-bound|input-single-process steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import random

import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import network, train_step


def pad(samples):
    longest = max(len(sample) for sample in samples)
    rows = [sample + [0.0] * (longest - len(sample)) for sample in samples]
    return torch.stack([torch.tensor(row)[:32] for row in rows])


def main():
    random.seed(0)
    texts = [[random.random() for _ in range(random.randint(1000, 6000))] for _ in range(64)]
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader([texts[i % 64] for i in range(60 * 32)], batch_size=32, collate_fn=pad)
    clock = Stamps()
    for x in loader:  # truth: here
        clock.spent("idle_input")
        x = x.cuda()
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
