# SPDX-License-Identifier: MIT
"""Records are looked up in a mapped file and unpacked, as with LMDB, in the training process itself."""
# truth: class=io cause=idle_input rule=input-bound|input-single-process steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import mmap
import struct
import tempfile
import zlib

import numpy as np
import torch
from stamps import Stamps
from torch.utils.data import DataLoader, Dataset
from workload import network, train_step

RECORDS, BATCH = 240, 8


def write_records(file):
    """An index of offsets and lengths, then the records."""
    values = np.random.default_rng(0)
    packed = [zlib.compress(values.standard_normal(48000, dtype=np.float32).tobytes(), 1) for _ in range(RECORDS)]
    offset = 16 * RECORDS
    for record in packed:
        file.write(struct.pack("<QQ", offset, len(record)))
        offset += len(record)
    for record in packed:
        file.write(record)
    file.flush()


class Records(Dataset):
    def __init__(self, path):
        self.path, self.map = path, None

    def __len__(self):
        return 60 * BATCH

    def __getitem__(self, index):
        if self.map is None:
            with open(self.path, "rb") as file:
                self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        offset, length = struct.unpack_from("<QQ", self.map, 16 * (index % RECORDS))
        record = zlib.decompress(self.map[offset:offset + length])
        return torch.from_numpy(np.frombuffer(record, dtype=np.float32)[:32].copy())


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with tempfile.NamedTemporaryFile() as file:
        write_records(file)
        loader = DataLoader(Records(file.name), batch_size=BATCH, shuffle=True)
        clock = Stamps()
        for x in loader:  # truth: here
            clock.spent("idle_input")
            x = x.cuda(non_blocking=True)
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        clock.end()


main()
