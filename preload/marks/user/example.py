# SPDX-License-Identifier: MIT
"""A loop that tells libtrace about itself; it runs without libtrace, too."""
import time

import libtrace


@libtrace.range("load")
def load(step):
    time.sleep(0.002)
    return [step] * 1000


def train(batch):
    with libtrace.range("train"):
        return sum(value * value for value in batch for _ in range(20))


libtrace.metadata(model="example", batch=1000)
for step in range(60):
    train(load(step))
    libtrace.step()
