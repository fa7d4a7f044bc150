# SPDX-License-Identifier: MIT
"""Samples are streamed from tar files, unpacked and shuffled in a buffer, as WebDataset does, by one worker."""
# truth: class=io cause=idle_input rule=input-bound|input-workers-saturated|input-decode steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=150us
import io
import os
import random
import tarfile
import tempfile
import zlib

import numpy as np
import torch
from stamps import Stamps
from torch.utils.data import DataLoader, IterableDataset
from workload import network, train_step

SHARDS, SAMPLES, BATCH = 3, 160, 8


def write_shards(folder):
    values = np.random.default_rng(0)
    for shard in range(SHARDS):
        with tarfile.open(os.path.join(folder, f"{shard}.tar"), "w") as tar:
            for number in range(SAMPLES):
                packed = zlib.compress(values.standard_normal(64000, dtype=np.float32).tobytes(), 1)
                info = tarfile.TarInfo(f"{number:04}.bin")
                info.size = len(packed)
                tar.addfile(info, io.BytesIO(packed))


class Shards(IterableDataset):
    def __init__(self, folder):
        self.folder = folder

    def samples(self):
        for shard in range(SHARDS):
            with tarfile.open(os.path.join(self.folder, f"{shard}.tar"), "r|") as tar:
                for member in tar:
                    yield np.frombuffer(zlib.decompress(tar.extractfile(member).read()), dtype=np.float32)

    def __iter__(self):
        buffer, chance = [], random.Random(0)
        for sample in self.samples():
            buffer.append(sample)
            if len(buffer) == 32:
                yield torch.from_numpy(buffer.pop(chance.randrange(32))[:32].copy())
        for sample in buffer:
            yield torch.from_numpy(sample[:32].copy())


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with tempfile.TemporaryDirectory() as folder:
        write_shards(folder)
        loader = DataLoader(Shards(folder), batch_size=BATCH, num_workers=1)
        clock = Stamps()
        for x in loader:  # truth: here
            clock.spent("idle_input")
            x = x.cuda(non_blocking=True)
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
