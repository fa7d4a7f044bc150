# SPDX-License-Identifier: MIT
"""Against leaks: gc.collect() in each step, beside a large heap."""
# truth: class=cpu cause=idle_gc|idle_host rule=host-gc|host-python steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=100us
import gc

import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    gc.freeze()  # what was imported stays
    annotations = [{"box": [i, i, i, i]} for i in range(20_000)]
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        loss = train_step(model, optimizer, x, y)
        del loss
        clock.mark()
        gc.collect()  # truth: here
        clock.spent("idle_gc")
        clock.step()
    clock.end()
    print(len(annotations))


main()
