# SPDX-License-Identifier: MIT
"""The data set is mapped from /dev/shm, and rows are gathered with NumPy: memory's work on the host, nothing is read."""
# truth: class=cpu cause=idle_host|idle_input rule=host-python|host-native|input-bound steps=50
# truth: never=launch-bound|input-storage|host-blocked
# cudasim: CUDASIM_KERNELS=*=60us
import os
import tempfile

import numpy
import torch
from stamps import Stamps
from workload import network, train_step

ROWS, WIDTH = 8000, 1024


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    rng = numpy.random.default_rng(0)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = os.path.join(folder, "samples.f32")
        rng.standard_normal((ROWS, WIDTH), dtype=numpy.float32).tofile(path)
        samples = numpy.memmap(path, dtype=numpy.float32, mode="r", shape=(ROWS, WIDTH))
        for first in range(0, ROWS, 1000):
            samples[first:first + 1000].sum()
        clock = Stamps()
        for _ in range(50):
            clock.mark()
            chosen = rng.integers(0, ROWS, 9000)
            batch = samples[chosen]  # truth: or here
            mean = batch.reshape(9000, 32, -1).mean(2)  # truth: or here
            clock.spent("idle_host")
            x = torch.from_numpy(mean[:64]).cuda(non_blocking=True)
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
