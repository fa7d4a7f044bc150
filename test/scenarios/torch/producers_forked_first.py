# SPDX-License-Identifier: MIT
"""Three producers are forked at the very beginning, before the model is made, and fill a queue too slowly."""
# truth: class=io cause=idle_input rule=input-bound says=input-queue steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=150us
import multiprocessing
import time

import numpy as np
import torch
from stamps import Stamps
from workload import network, train_step


def produce(batches, count):
    for index in range(count):
        time.sleep(0.030)  # the storage answers
        batches.put(np.full((16, 32), index / count, dtype=np.float32))


def main():
    context = multiprocessing.get_context("fork")
    batches = context.Queue(6)
    for _ in range(3):
        context.Process(target=produce, args=(batches, 20), daemon=True).start()
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    clock = Stamps()
    for _ in range(60):
        batch = batches.get()  # truth: here
        clock.spent("idle_input")
        x = torch.from_numpy(batch).cuda()
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
