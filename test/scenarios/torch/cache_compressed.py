# SPDX-License-Identifier: MIT
"""A data set fills its cache on disk as it goes; packing each sample takes the processor's time, not the disk's."""
# truth: class=io cause=idle_input rule=input-bound|input-single-process|input-decode steps=60
# truth: never=launch-bound|input-storage|input-workers-saturated
# cudasim: CUDASIM_KERNELS=*=150us
import os
import tempfile

import numpy as np
import torch
from stamps import Stamps
from torch.utils.data import DataLoader, Dataset
from workload import network, train_step


class Cached(Dataset):
    def __init__(self, folder, count):
        self.folder, self.count, self.source = folder, count, np.random.default_rng(0)

    def __len__(self):
        return self.count

    def decode(self, index):
        return self.source.standard_normal(20000, dtype=np.float32) + index / self.count

    def __getitem__(self, index):
        path = os.path.join(self.folder, f"{index:06}.npz")
        if os.path.exists(path):
            with np.load(path) as kept:
                image = kept["image"]
        else:
            image = self.decode(index)
            np.savez_compressed(path, image=image)
        return torch.from_numpy(image[:32].copy())


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with tempfile.TemporaryDirectory() as folder:
        loader = DataLoader(Cached(folder, 60 * 4), batch_size=4, shuffle=True)
        clock = Stamps()
        for x in loader:  # truth: here
            clock.spent("idle_input")
            x = x.cuda(non_blocking=True)
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
