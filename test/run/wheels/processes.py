# SPDX-License-Identifier: MIT
"""Processes of every kind around CUDA work: a subprocess, fork and spawn pools, a child that ends by _exit."""
import multiprocessing as mp
import os
import subprocess
import sys


def work(n):
    import torch

    return float(torch.ones(n, device="cuda").sum())


def host(n):
    return n * 2


if __name__ == "__main__":
    print(subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True).stdout.strip())
    with mp.get_context("fork").Pool(2) as pool:
        print(pool.map(host, [1, 2, 3]))
    with mp.get_context("spawn").Pool(2) as pool:
        print(pool.map(work, [4, 5]))
    import torch

    print(torch.ones(3, device="cuda").sum().item())
    pid = os.fork()
    if pid == 0:
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
