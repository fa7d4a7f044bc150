# SPDX-License-Identifier: MIT
"""A gradient hook asks another machine for its turn: autograd's thread is blocked in the middle of the backward pass."""
# truth: class=cpu cause=idle_blocked rule=host-blocked steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=100us
import os
import tempfile
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step


class Turns:
    """One of several trainers, each of which holds the token for a while."""

    def __init__(self, model):
        self.token = tempfile.TemporaryFile()
        model[2].weight.register_hook(self.wait)

    def wait(self, _):
        time.sleep(0.006)  # truth: here
        os.pwrite(self.token.fileno(), b"1", 0)


def main():
    model = network()
    turns = Turns(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.step()
    clock.end()
    turns.token.close()


main()
