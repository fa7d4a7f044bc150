# SPDX-License-Identifier: MIT
"""Each step looks one page up in a mapped index, which storage has to give, and then waits long for another machine."""
# truth: class=cpu cause=idle_blocked rule=host-blocked steps=60
# truth: never=input-storage|input-bound|launch-bound
# cudasim: CUDASIM_KERNELS=*=50us
import mmap
import os
import queue
import tempfile
import threading
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step

SIZE = 4 << 20


def other_machine(wanted, done):
    while wanted.get():
        time.sleep(0.04)
        done.put(None)


def look_up(file, step):
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with mmap.mmap(file.fileno(), SIZE, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) as pages:
        pages.madvise(mmap.MADV_RANDOM)
        return pages[step * 7 * mmap.PAGESIZE]


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    wanted, done = queue.Queue(), queue.Queue()
    thread = threading.Thread(target=other_machine, args=(wanted, done))
    thread.start()
    with tempfile.TemporaryFile(dir=".") as file:
        file.write(os.urandom(SIZE))
        file.flush()
        os.fsync(file.fileno())
        clock = Stamps()
        for step in range(60):
            look_up(file, step)
            train_step(model, optimizer, x, y)
            clock.mark()
            wanted.put(True)
            done.get()  # truth: here
            clock.spent("idle_blocked")
            clock.step()
        clock.end()
    wanted.put(False)
    thread.join()


main()
