# SPDX-License-Identifier: MIT
"""Steps of an optimiser, with one cumsum each. Prints for how many of 1,000 operators PyTorch has callbacks in each of
30 steps, and with "signal", which comes between them and is waited for, in each of 30 more."""
import os
import signal
import sys
import time

import torch

from called_back import called_back

torch.set_num_threads(1)
weight = torch.ones(4, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)


def steps(number):
    for _ in range(number):
        (weight * weight.detach().cumsum(0)).sum().backward()
        optimizer.step()
        yield called_back()


said = list(steps(30))
if sys.argv[1:] == ["signal"]:
    os.kill(os.getpid(), signal.SIGUSR1)
    time.sleep(0.2)
    said += steps(30)
print(*said)
