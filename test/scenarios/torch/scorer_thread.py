# SPDX-License-Identifier: MIT
"""In each step a thread scores six hundred candidates and reads each score; training waits for the best of them."""
# truth: class=cpu cause=idle_launch|idle_sync|idle_blocked rule=sync-scalar-read|host-blocked|launch-bound steps=40
# truth: never=input-bound|host-python
# cudasim: CUDASIM_KERNELS=*=20us
import queue
import threading

import torch
from stamps import Stamps
from workload import network, regression, train_step

CANDIDATES = 600


def score(wanted, done, candidates):
    scores = torch.zeros(1, device="cuda")
    while wanted.get():
        best = max((scores.fill_(candidate).item(), candidate) for candidate in candidates)  # truth: or here
        done.put(best)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    wanted, done = queue.Queue(), queue.Queue()
    thread = threading.Thread(target=score, args=(wanted, done, range(CANDIDATES)))
    thread.start()
    clock = Stamps()
    for _ in range(40):
        train_step(model, optimizer, x, y)
        wanted.put(True)
        done.get()  # truth: or here
        clock.step()
    clock.end()
    wanted.put(False)
    thread.join()


main()
