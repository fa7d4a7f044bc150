# SPDX-License-Identifier: MIT
"""In each step the coordinator is told and its answer awaited; not a byte of it reaches the device."""
# truth: class=cpu cause=idle_host|idle_blocked rule=host-blocked steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=200us
import os
import socket
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step


def coordinate(connection):
    while connection.recv(16):
        time.sleep(0.007)
        connection.sendall(b"go on")
    os._exit(0)


def main():
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        coordinate(theirs)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for step in range(60):
        train_step(model, optimizer, x, y)
        clock.mark()
        ours.sendall(b"%d" % step)
        ours.recv(16)  # truth: here
        clock.spent("idle_host")
        clock.step()
    clock.end()


main()
