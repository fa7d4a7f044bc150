# SPDX-License-Identifier: MIT
"""Metrics are written to a log shipper that reads slowly: the loop is blocked in write()."""
# truth: class=cpu cause=idle_host|idle_blocked rule=host-blocked steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=150us
import fcntl
import os
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step

LINE = b"x" * 4096


def ship(pipe):
    while os.read(pipe, len(LINE)):
        time.sleep(0.008)
    os._exit(0)


def main():
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, len(LINE))
    if os.fork() == 0:
        os.close(writing)
        ship(reading)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.mark()
        os.write(writing, LINE)  # truth: here
        clock.spent("idle_host")
        clock.step()
    clock.end()
    os.close(writing)


main()
