# SPDX-License-Identifier: MIT
"""The batch system stops the job for a while and lets it go on: a gap in the middle, no slow step."""
# truth: class=gpu cause=device_compute steps=80
# truth: never=launch-bound|input-bound|host-blocked
# cudasim: CUDASIM_KERNELS=*=600us
import os
import signal
import time

import torch
from stamps import Stamps
from workload import network, regression, train_step


def batch_system(pid):
    """A process of its own, which lets this one go on half a second after it was told; returns how to tell it."""
    told, tell = os.pipe()
    if os.fork() == 0:
        os.close(tell)
        os.read(told, 1)
        time.sleep(0.5)
        os.kill(pid, signal.SIGCONT)
        os._exit(0)
    os.close(told)
    return tell


def main():
    system = batch_system(os.getpid())
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for step in range(80):
        loss = train_step(model, optimizer, x, y)
        if step % 10 == 9:
            print(f"loss {loss.item():.4f}")
        clock.step()
        if step == 39:
            with clock.gap():
                os.write(system, b".")
                os.kill(os.getpid(), signal.SIGSTOP)
    clock.end()


main()
