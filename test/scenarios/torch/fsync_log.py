# SPDX-License-Identifier: MIT
"""Each line of the journal is flushed to storage before training goes on, so that nothing is lost in a crash."""
# truth: class=cpu cause=idle_blocked rule=host-blocked steps=60
# truth: never=launch-bound|input-bound|input-storage
# cudasim: CUDASIM_KERNELS=*=20us
import os
import tempfile

import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    with tempfile.TemporaryFile(dir=".") as journal:
        clock = Stamps()
        for step in range(60):
            train_step(model, optimizer, x, y)
            for part in range(8):
                clock.mark()  # where storage is slow, writing waits for it too
                journal.write(b"step %d part %d\n" % (step, part) * 4096)
                journal.flush()
                os.fsync(journal.fileno())  # truth: here
                clock.spent("idle_blocked")
            clock.step()
        clock.end()


main()
