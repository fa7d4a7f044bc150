# SPDX-License-Identifier: MIT
"""A logger thread that spends its life in queue.get(): nobody waits for data here."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound|host-blocked
# cudasim: CUDASIM_KERNELS=*=800us
import queue
import tempfile
import threading

import torch
from stamps import Stamps
from workload import network, regression, train_step


def write_log(lines):
    with tempfile.TemporaryFile("w") as file:
        while (line := lines.get()) is not None:
            file.write(line + "\n")
            file.flush()


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    lines = queue.Queue()
    logger = threading.Thread(target=write_log, args=(lines,))
    logger.start()
    clock = Stamps()
    for step in range(60):
        loss = train_step(model, optimizer, x, y)
        lines.put(f"step {step}")
        if step % 15 == 14:
            lines.put(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()
    lines.put(None)
    logger.join()


main()
