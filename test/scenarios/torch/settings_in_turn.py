# SPDX-License-Identifier: MIT
"""A search over settings: twenty models in turn, each with an optimiser of its own and a few steps."""
# truth: class=gpu cause=device_compute steps=200 ahead=yes
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    x, y = regression()
    kept = []  # so that no optimiser is where another one was
    clock = Stamps()
    for setting in range(20):
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1 / (1 + setting))
        kept.append(optimizer)
        for _ in range(10):
            train_step(model, optimizer, x, y)
            clock.step()
    clock.end()


main()
