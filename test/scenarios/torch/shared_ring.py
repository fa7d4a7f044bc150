# SPDX-License-Identifier: MIT
"""A process writes batches into shared memory and posts a semaphore; the loop waits for it and copies from there."""
# truth: class=io|cpu cause=idle_input|idle_blocked rule=input-bound|host-blocked steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=200us
import multiprocessing
import os
import time

import torch
from stamps import Stamps
from workload import network, train_step

SLOTS = 4


def produce(ring, empty, full):
    for i in range(60):
        empty.acquire()
        time.sleep(0.011)  # decoding
        ring[i % SLOTS].fill_(i / 60)
        full.release()
    os._exit(0)


def main():
    context = multiprocessing.get_context("fork")
    ring = torch.zeros(SLOTS, 64, 32).share_memory_()
    empty, full = context.Semaphore(SLOTS), context.Semaphore(0)
    producer = context.Process(target=produce, args=(ring, empty, full))
    producer.start()
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    clock = Stamps()
    for i in range(60):
        clock.mark()
        full.acquire()  # truth: here
        clock.spent("idle_input")
        x = ring[i % SLOTS].cuda()
        empty.release()
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()
    producer.join()


main()
