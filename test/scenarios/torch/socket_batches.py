# SPDX-License-Identifier: MIT
"""Batches come from a data service over a socket; what is received is copied to the device."""
# truth: class=io cause=idle_input rule=input-bound steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=200us
import os
import socket
import time

import torch
from stamps import Stamps
from workload import network, train_step

BYTES = 64 * 32 * 4


def serve(connection):
    batch = bytes(torch.randn(64, 32).numpy().tobytes())
    for _ in range(60):
        time.sleep(0.009)
        connection.sendall(batch)
    os._exit(0)


def main():
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        serve(theirs)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    clock = Stamps()
    for _ in range(60):
        buffer = bytearray(ours.recv(BYTES, socket.MSG_WAITALL))  # truth: here
        clock.spent("idle_input")
        x = torch.frombuffer(buffer, dtype=torch.float32).view(64, 32).cuda(non_blocking=True)
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
