# SPDX-License-Identifier: MIT
"""Two trials of a search train in two threads on one GPU; each reads its loss, while the other keeps the device busy."""
# truth: class=gpu cause=device_compute steps=60|62|120|122|unsure ahead=any
# truth: never=launch-bound|input-bound|sync-scalar-read|sync-repeated-line|host-python|host-blocked|host-gil
# cudasim: CUDASIM_KERNELS=*=1500us
import threading

import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


class Trial:
    def __init__(self, rate):
        self.model, self.batch, self.history = network(), regression(), []
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=rate)

    def run(self, steps, each=lambda: None):
        for _ in range(steps):
            loss = train_step(self.model, self.optimizer, *self.batch).item()
            self.history.append(loss)
            compute(1.5)  # is the trial worth going on with?
            each()


def main():
    first, second = Trial(0.01), Trial(0.02)
    other = threading.Thread(target=second.run, args=(62,))
    clock = Stamps()
    other.start()
    first.run(60, clock.step)
    clock.end()
    other.join()
    print(f"{first.history[-1]:.3f} {second.history[-1]:.3f}")


main()
