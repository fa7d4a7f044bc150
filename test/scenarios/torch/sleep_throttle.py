# SPDX-License-Identifier: MIT
"""A pause in each step, so that the shared machine stays cool."""
# truth: class=cpu cause=idle_host|idle_blocked rule=host-blocked steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=200us
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step

COOL_DOWN = 0.006


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.mark()
        time.sleep(COOL_DOWN)  # truth: here
        clock.spent("idle_host")
        clock.step()
    clock.end()


main()
