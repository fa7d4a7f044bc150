# SPDX-License-Identifier: MIT
"""A thread decodes batches more slowly than the device uses them up; the loop waits in the queue."""
# truth: class=io cause=idle_input rule=input-bound steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=200us
import queue
import threading
import time

import torch
from stamps import Stamps
from workload import network, train_step


def produce(batches, count):
    for _ in range(count):
        time.sleep(0.02)  # reading and decoding
        batches.put(torch.randn(64, 32).cuda(non_blocking=True))
    batches.put(None)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = queue.Queue(maxsize=4)
    thread = threading.Thread(target=produce, args=(batches, 60), daemon=True)
    thread.start()
    clock = Stamps(thread)
    while True:
        x = batches.get()  # truth: here
        clock.spent("idle_input")
        if x is None:
            break
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
