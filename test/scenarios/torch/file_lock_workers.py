# SPDX-License-Identifier: MIT
"""Three workers read one file by a library that is not safe: a lock lets in one of them at a time."""
# truth: class=io cause=idle_input rule=input-workers-saturated steps=60
# truth: never=launch-bound|input-decode|input-storage|input-taking
# cudasim: CUDASIM_KERNELS=*=150us
import multiprocessing
import time

import torch
from stamps import Stamps
from torch.utils.data import DataLoader, Dataset
from workload import network, train_step


class Archive(Dataset):
    def __init__(self, count):
        self.count, self.lock = count, multiprocessing.Lock()

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        with self.lock:
            time.sleep(0.004)  # a read through a library with global state
            x = torch.full((32,), index / self.count)
        return x, x.sum(0, keepdim=True)


def main():
    loader = DataLoader(Archive(240), batch_size=4, shuffle=True, num_workers=3)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = iter(loader)
    clock = Stamps()
    for x, y in batches:  # truth: here
        clock.spent("idle_input")
        train_step(model, optimizer, x.cuda(), y.cuda())
        clock.step()
    clock.end()


if __name__ == "__main__":
    main()
