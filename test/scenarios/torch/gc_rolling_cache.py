# SPDX-License-Identifier: MIT
"""A rolling cache of annotations in plain lists: the collector walks through all of it again and again."""
# truth: class=cpu cause=idle_gc|idle_host rule=host-gc steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=60us
import collections
import gc

import torch
from stamps import Stamps
from workload import network, regression, train_step


def annotate(step):
    return [[step, box] for box in range(12_000)]  # truth: here


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    gc.collect()
    gc.freeze()  # what was imported stays
    cache = collections.deque((annotate(0) for _ in range(20)), maxlen=20)
    clock = Stamps()

    def watch(phase, _):
        clock.mark() if phase == "start" else clock.spent("idle_gc")

    gc.callbacks.append(watch)
    for step in range(60):
        cache.append(annotate(step))
        train_step(model, optimizer, x, y)
        clock.step()
    gc.callbacks.remove(watch)
    clock.end()


main()
