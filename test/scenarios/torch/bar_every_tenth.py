# SPDX-License-Identifier: MIT
"""A progress bar is told the loss every ten steps: a wait, but the device has been busy all the time and stays so."""
# truth: class=gpu cause=device_compute steps=80
# truth: never=launch-bound|input-bound|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=800us
import sys

import torch
from stamps import Stamps
from workload import network, regression, train_step


class Bar:
    def __init__(self, total):
        self.total, self.done = total, 0

    def update(self, **shown):
        self.done += 10
        words = ", ".join(f"{name}={value:.3f}" for name, value in shown.items())
        print(f"\r{100 * self.done // self.total:3d}% {words}", end="", file=sys.stderr)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    bar = Bar(80)
    clock = Stamps()
    for step in range(1, 81):
        loss = train_step(model, optimizer, x, y)
        if step % 10 == 0:
            bar.update(loss=loss.item())
        clock.step()
    print(file=sys.stderr)
    clock.end()


main()
