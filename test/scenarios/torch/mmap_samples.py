# SPDX-License-Identifier: MIT
"""Samples lie in a mapped file; touching them costs page faults, unmapping a third of it, and no call shows it."""
# truth: class=io|cpu cause=idle_input|idle_host rule=input-storage|input-bound|host-python steps=50
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=100us
import mmap
import tempfile

import numpy as np
import torch
from stamps import Stamps
from workload import network, train_step

SIZE = 16 << 20


def read_sample(file):
    with mmap.mmap(file.fileno(), SIZE, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) as pages:  # truth: or here
        pages.madvise(mmap.MADV_RANDOM)
        return np.frombuffer(pages[::mmap.PAGESIZE], dtype=np.uint8)[:2048].astype(np.float32)  # truth: or here


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with tempfile.TemporaryFile() as file:
        file.write(bytes(SIZE))
        file.flush()
        clock = Stamps()
        for _ in range(50):
            clock.mark()
            for _ in range(3):
                sample = read_sample(file)  # truth: or here
            clock.spent("idle_input")
            x = torch.from_numpy(sample).view(64, 32).cuda(non_blocking=True)
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
