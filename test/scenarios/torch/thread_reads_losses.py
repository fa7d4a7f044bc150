# SPDX-License-Identifier: MIT
"""A metrics thread reads the losses so that training need not: its waits are not the trainer's."""
# truth: class=gpu cause=device_compute steps=80 ahead=yes
# truth: never=launch-bound|input-bound|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=800us
import queue
import threading

import torch
from stamps import Stamps
from workload import network, regression, train_step


def write_metrics(losses):
    while (loss := losses.get()) is not None:
        loss.item()


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    losses = queue.Queue()
    writer = threading.Thread(target=write_metrics, args=(losses,))
    writer.start()
    clock = Stamps()
    for _ in range(80):
        losses.put(train_step(model, optimizer, x, y).detach())
        clock.step()
    clock.end()
    losses.put(None)
    writer.join()


main()
