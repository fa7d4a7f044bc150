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
    models = [network() for _ in range(20)]
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1 / (1 + i)) for i, model in enumerate(models)]
    clock = Stamps()
    for model, optimizer in zip(models, optimizers):
        for _ in range(10):
            train_step(model, optimizer, x, y)
            clock.step()
    clock.end()


main()
