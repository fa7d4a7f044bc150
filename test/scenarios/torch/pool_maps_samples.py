# SPDX-License-Identifier: MIT
"""A batch is read by the threads of a pool, sample by sample, and only when the one before was trained on."""
# truth: class=io|cpu cause=idle_input|idle_blocked|idle_gil rule=input-bound|host-blocked steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=150us
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from stamps import Stamps
from workload import network, train_step


def read(index):
    time.sleep(0.004)  # an object store answers
    return torch.full((32,), index / 3840)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with ThreadPoolExecutor(8) as pool:
        clock = Stamps()
        for step in range(60):
            clock.mark()
            results = pool.map(read, range(step * 16, step * 16 + 16))
            clock.spent("idle_host")
            samples = list(results)  # truth: here
            clock.spent("idle_input")
            x = torch.stack(samples).cuda()
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
