# SPDX-License-Identifier: MIT
"""Four batches are always asked for ahead of a ProcessPoolExecutor, and taken in their order."""
# truth: class=io|cpu cause=idle_input|idle_blocked rule=input-bound|host-blocked|host-queue steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=150us
import collections
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import torch
from stamps import Stamps
from workload import compute, network, train_step


def read(index):
    compute(12)
    return np.full((16, 32), index / 60, dtype=np.float32)


def ahead(pool, count, depth=4):
    waiting = collections.deque(pool.submit(read, index) for index in range(depth))
    for index in range(depth, count + depth):
        yield waiting.popleft().result()  # truth: or here
        if index < count:
            waiting.append(pool.submit(read, index))


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        clock = Stamps()
        for batch in ahead(pool, 60):  # truth: or here
            clock.spent("idle_input")
            x = torch.from_numpy(batch).cuda()
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
