# SPDX-License-Identifier: MIT
"""Against running out of memory: the cache is emptied in each step, which frees, waits and allocates anew."""
# truth: class=cpu cause=idle_sync|idle_alloc rule=alloc-churn steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=600us
import gc

import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    clock = Stamps()
    for _ in range(60):
        x, y = regression(rows=512)
        train_step(model, optimizer, x, y)
        del x, y
        torch.cuda.empty_cache()  # truth: here
        compute(4)  # the next batch is drawn
        clock.step()
    clock.end()
    gc.collect()


main()
