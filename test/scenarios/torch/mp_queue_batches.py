# SPDX-License-Identifier: MIT
"""A hand-made loader: one process puts batches of NumPy arrays into a multiprocessing queue."""
# truth: class=io cause=idle_input rule=input-bound steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import multiprocessing
import time

import numpy as np
import torch
from stamps import Stamps
from workload import network, train_step


def produce(batches, count):
    source = np.random.default_rng(0)
    for _ in range(count):
        time.sleep(0.010)  # reading and decoding
        batches.put(source.standard_normal((64, 32), dtype=np.float32))


def main():
    context = multiprocessing.get_context("fork")
    batches = context.Queue(maxsize=4)
    worker = context.Process(target=produce, args=(batches, 60), daemon=True)
    worker.start()
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    clock = Stamps()
    for _ in range(60):
        batch = batches.get()  # truth: here
        clock.spent("idle_input")
        x = torch.from_numpy(batch).cuda(non_blocking=True)
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()
    worker.join()


main()
