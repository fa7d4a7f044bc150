# SPDX-License-Identifier: MIT
"""Samples lie in compressed chunks of one file, as in HDF5; each batch reads some and unpacks them in the loop."""
# truth: class=io|cpu cause=idle_input|idle_host rule=input-bound|host-python steps=60
# truth: never=launch-bound|input-storage
# cudasim: CUDASIM_KERNELS=*=150us
import tempfile
import zlib

import numpy
import torch
from stamps import Stamps
from workload import network, train_step


class Chunks:
    def __init__(self, file, count):
        self.file, self.index = file, []
        rng = numpy.random.default_rng(0)
        for _ in range(count):
            packed = zlib.compress(rng.integers(0, 50, 65536, dtype=numpy.uint8).tobytes(), 1)
            self.index.append((file.tell(), len(packed)))
            file.write(packed)
        file.flush()

    def read(self, number):
        offset, size = self.index[number]
        self.file.seek(offset)
        packed = self.file.read(size)  # truth: or here
        return numpy.frombuffer(zlib.decompress(packed), dtype=numpy.uint8)  # truth: or here


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    rng = numpy.random.default_rng(1)
    with tempfile.TemporaryFile() as file:
        chunks = Chunks(file, 64)
        clock = Stamps()
        for _ in range(60):
            clock.mark()
            rows = [chunks.read(number) for number in rng.integers(0, 64, 16)]  # truth: or here
            batch = numpy.stack([row[:32] for row in rows]).astype(numpy.float32)
            clock.spent("idle_input")
            x = torch.from_numpy(batch).cuda() / 50
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
