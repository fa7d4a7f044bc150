# SPDX-License-Identifier: MIT
"""A limit on requests is kept by select() without a descriptor: a nap like any other."""
# truth: class=cpu cause=idle_blocked rule=host-blocked steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=100us
import select

import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.mark()
        select.select([], [], [], 0.01)  # truth: here
        clock.spent("idle_blocked")
        clock.step()
    clock.end()


main()
