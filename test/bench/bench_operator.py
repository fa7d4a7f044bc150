# SPDX-License-Identifier: MIT
"""Small operators of PyTorch on the processor, for counting what a callback pair around each costs.

usage: bench_operator.py LIBRARY empty|recorded N      LIBRARY: bench_operator.so; empty: first without a callback
"""
import ctypes
import os
import sys

import torch

library, way, count = ctypes.CDLL(sys.argv[1]), sys.argv[2], int(sys.argv[3])
torch.set_num_threads(1)
a = torch.ones(4)


def loop(count):
    for _ in range(count):
        a.view(4)


def counted(name):
    loop(200)
    library.bench_count(1)
    loop(count)
    library.bench_dump(name)


with torch.no_grad():
    if way == "empty":
        counted(b"none")
        if library.bench_add_empty() != 0:
            sys.exit("PyTorch takes no callback")
    counted(b"all")
print(count)
sys.stdout.flush()
os._exit(0)
