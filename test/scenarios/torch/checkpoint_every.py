# SPDX-License-Identifier: MIT
"""A checkpoint every twenty steps, a phase of its own; between them the device is always busy."""
# truth: class=gpu cause=device_compute rule=step-outlier steps=80 ahead=yes
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us CUDASIM_COPY=d2h=2GB/s
import os
import tempfile
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step


def save(model, optimizer, path):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)  # truth: or here
    with open(path, "rb") as file:
        os.fsync(file.fileno())
    time.sleep(0.12)  # truth: or here


def main():
    model = network()
    model.register_buffer("bank", torch.zeros(2_000_000, device="cuda"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, y = regression()
    with tempfile.TemporaryDirectory() as folder:
        clock = Stamps()
        for step in range(1, 81):
            train_step(model, optimizer, x, y)
            clock.step()
            if step % 20 == 0:
                with clock.gap():
                    save(model, optimizer, os.path.join(folder, "last.pt"))  # truth: or here
        clock.end()


main()
