# SPDX-License-Identifier: MIT
"""A child that helps its parent, and then trains itself: helper.py step|cuda.

While it helps it calls cumprod; what it calls when it trains is cumsum, before 30 steps of an optimiser, or 300 times
with tensors of the GPU. Prints how many of 1,000 operators PyTorch has callbacks for, before and after."""
import os
import sys
import time

import torch

from called_back import CALLS, called_back


def train(how):
    device = "cuda" if how == "cuda" else "cpu"
    weight = torch.ones(4, requires_grad=True, device=device)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(30 if how == "step" else 300):
        x = weight.detach().cumsum(0)
        if how == "step":
            (weight * x).sum().backward()
            optimizer.step()


def help_and_train(how, ready):
    x = torch.ones(4)
    os.read(ready, 1)  # that it waits makes it known
    time.sleep(0.3)
    for _ in range(CALLS):
        x.cumprod(0)
    helping = called_back()
    train(how)
    print(helping, called_back(), flush=True)


def main(how):
    torch.set_num_threads(1)
    ready, go = os.pipe()
    torch.ones(4).sum()
    child = os.fork()
    if child == 0:
        help_and_train(how, ready)
        os._exit(0)
    time.sleep(0.1)
    os.write(go, b"x")
    print("status", os.waitpid(child, 0)[1])


main(sys.argv[1])
