# SPDX-License-Identifier: MIT
"""The first epoch decodes each sample in the training process, the second finds all of them in a cache."""
# truth: class=io cause=idle_input rule=input-bound|input-single-process steps=80
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=300us
import time

import torch
from stamps import Stamps
from torch.utils.data import DataLoader, Dataset
from workload import network, train_step


class Cached(Dataset):
    def __init__(self, count):
        self.count, self.kept = count, {}

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if index not in self.kept:
            time.sleep(0.0006)  # read and decode
            self.kept[index] = torch.full((32,), index / self.count)
        return self.kept[index]


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Cached(40 * 16), batch_size=16)
    clock = Stamps()
    for _ in range(2):
        clock.mark()
        for x in loader:  # truth: here
            clock.spent("idle_input")
            x = x.cuda()
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
    clock.end()


main()
