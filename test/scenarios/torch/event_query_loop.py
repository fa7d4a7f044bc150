# SPDX-License-Identifier: MIT
"""The host asks an event again and again, with naps between, and only then makes the next batch."""
# truth: class=cpu cause=idle_sync rule=sync-polling steps=60
# truth: never=launch-bound|input-bound|host-blocked
# cudasim: CUDASIM_KERNELS=*=1ms
import time

import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    done = torch.cuda.Event()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        done.record()
        while not done.query():  # truth: here
            time.sleep(0.0002)
        compute(6)  # the next batch is drawn
        clock.step()
    clock.end()


main()
