# SPDX-License-Identifier: MIT
"""Samples lie in a mapped file that does not stay in memory; each page that is touched is read from storage by a fault."""
# truth: class=io|cpu cause=idle_input|idle_host|idle_blocked rule=input-storage|host-python steps=40
# truth: never=launch-bound|host-operator
# cudasim: CUDASIM_KERNELS=*=100us
import mmap
import os
import tempfile

import numpy as np
import torch
from stamps import Stamps
from workload import network, train_step

SIZE = 64 << 20
PAGES = 150


def read_sample(file, step):
    with mmap.mmap(file.fileno(), SIZE, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) as pages:
        pages.madvise(mmap.MADV_RANDOM)
        first = step * PAGES % (SIZE // mmap.PAGESIZE - PAGES) * mmap.PAGESIZE
        return np.frombuffer(pages[first:first + PAGES * mmap.PAGESIZE:mmap.PAGESIZE] * 14, dtype=np.uint8)  # truth: or here


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with tempfile.TemporaryFile(dir=".") as file:
        file.write(os.urandom(SIZE))
        file.flush()
        os.fsync(file.fileno())
        clock = Stamps()
        for step in range(40):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            clock.mark()
            sample = read_sample(file, step)  # truth: or here
            clock.spent("idle_input")
            x = torch.from_numpy(sample[:2048].astype(np.float32)).view(64, 32).cuda(non_blocking=True)
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
