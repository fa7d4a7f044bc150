# SPDX-License-Identifier: MIT
"""The host never waits of its own will: in the end launches block because the device's queue is full."""
# truth: class=gpu cause=device_compute steps=160 ahead=yes
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, y = regression()
    clock = Stamps()
    for _ in range(160):
        train_step(model, optimizer, x, y)
        clock.step()
    clock.end()


main()
