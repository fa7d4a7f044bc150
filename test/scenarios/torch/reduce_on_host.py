# SPDX-License-Identifier: MIT
"""Gradients are summed over machines on the host: a thread fetches them, waits for the others, puts them back."""
# truth: class=cpu cause=idle_blocked rule=host-blocked steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=50us
import queue
import threading
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step


def reduce_gradients(wanted, done):
    while (gradients := wanted.get()) is not None:
        summed = [gradient.cpu() for gradient in gradients]
        time.sleep(0.02)  # the slowest machine
        for gradient, sum_ in zip(gradients, summed):
            gradient.copy_(sum_)
        done.put(None)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    wanted, done = queue.Queue(), queue.Queue()
    thread = threading.Thread(target=reduce_gradients, args=(wanted, done))
    thread.start()
    clock = Stamps(thread)
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.mark()
        wanted.put([parameter.grad for parameter in model.parameters()])
        done.get()  # truth: here
        clock.spent("idle_blocked")
        clock.step()
    clock.end()
    wanted.put(None)
    thread.join()


main()
