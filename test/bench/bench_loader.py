# SPDX-License-Identifier: MIT
"""Batches of a loader with four workers and a cheap dataset.

usage: bench_loader.py count LIBRARY BATCHES   for counting instructions: the workers are forked when counting is on, so
                                               that valgrind counts in them as well
       bench_loader.py switch BATCHES ROUNDS   in blocks with recording switched on and off in turn, by SIGUSR2 to all
                                               five processes; prints the median of on / off and half of the ratios
                                               around it: by the clock, and by what the processors did
"""
import ctypes
import itertools
import os
import signal
import statistics
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

SIZE = 16
WARM = 400  # past what is different at first


class Cheap(Dataset):
    def __init__(self, batches):
        self.values, self.size = torch.randn(256, 32), batches * SIZE

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return self.values[index % 256], index % 10


def count(library, batches):
    switch = ctypes.CDLL(library).bench_count
    switch(1)
    drawn = sum(1 for _ in DataLoader(Cheap(batches), batch_size=SIZE, num_workers=4))
    switch(0)
    if drawn != batches:
        raise SystemExit(f"{drawn} batches of {batches}")


def spent(process):
    """Nanoseconds on processors, of threads that are not the recorder's."""
    total = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        folder = f"/proc/{process}/task/{thread}/"
        with open(folder + "comm") as comm, open(folder + "schedstat") as times:
            if not comm.read().startswith("libtrace"):
                total += int(times.read().split()[0])
    return total


def switch(batches, rounds):
    loader = DataLoader(Cheap(WARM + (2 * rounds + 2) * batches), batch_size=SIZE, num_workers=4)
    draw = iter(loader)
    processes = [os.getpid(), *(worker.pid for worker in draw._workers)]

    def block():
        work, begin = sum(map(spent, processes)), time.perf_counter_ns()
        for _ in itertools.islice(draw, batches):
            pass
        result = time.perf_counter_ns() - begin, sum(map(spent, processes)) - work
        for process in processes:
            os.kill(process, signal.SIGUSR2)
        return result

    for _ in itertools.islice(draw, WARM):
        pass
    pairs = [(block(), block()) for _ in range(rounds)]
    for which in range(2):
        low, middle, high = statistics.quantiles([on[which] / off[which] for on, off in pairs], n=4)
        print(f"{middle:.4f} {high - low:.4f}")
    print(f"{statistics.median(off[0] for _, off in pairs) / batches / 1000:.0f}", flush=True)


torch.set_num_threads(1)
if sys.argv[1] == "count":
    count(sys.argv[2], int(sys.argv[3]))
else:
    switch(int(sys.argv[2]), int(sys.argv[3]))
