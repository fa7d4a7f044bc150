# SPDX-License-Identifier: MIT
"""Recording is switched off by a signal for twenty steps: a gap in the trace, no step of twenty times the length."""
# truth: class=gpu cause=device_compute steps=80|60|61 ahead=yes
# truth: never=launch-bound|input-bound|host-blocked
# cudasim: CUDASIM_KERNELS=*=400us
import os
import signal

import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    if signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL:  # nobody records
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for step in range(80):
        if step in (30, 50):
            os.kill(os.getpid(), signal.SIGUSR1)
        train_step(model, optimizer, x, y)
        clock.step()
    clock.end()


main()
