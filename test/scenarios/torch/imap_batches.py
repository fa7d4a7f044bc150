# SPDX-License-Identifier: MIT
"""A pool of processes, made before anything else, reads batches ahead: multiprocessing.Pool.imap()."""
# truth: class=io|cpu cause=idle_input|idle_blocked rule=input-bound|host-blocked|host-queue steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=150us
import multiprocessing

import numpy as np
import torch
from stamps import Stamps
from workload import compute, network, train_step


def read(index):
    compute(12)  # decodes a batch
    return np.full((16, 32), index / 60, dtype=np.float32)


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        clock = Stamps()
        for batch in pool.imap(read, range(60)):  # truth: here
            clock.spent("idle_input")
            x = torch.from_numpy(batch).cuda()
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
