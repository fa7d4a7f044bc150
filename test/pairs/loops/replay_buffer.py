# SPDX-License-Identifier: MIT
"""Moves are drawn from a list and copied to the device, each column by itself, which waits for all work before; mended
as the report says: without waiting, since so little is taken over at once."""
# truth: rule=copy-pageable-async
# cudasim: CUDASIM_KERNELS=*gemm*=2ms;*=20us
import os
import random

import torch
from torch import nn

from stamps import Stamps
from workload import compute, network

MENDED = os.environ["PAIR"] == "mended"


def columns(memory):
    """State, reward and next state of some moves."""
    return [torch.tensor(column) for column in zip(*random.sample(memory, 32))]


def main():
    memory = [([random.random() for _ in range(32)], random.random(), [random.random() for _ in range(32)])
              for _ in range(500)]
    value, target = network(), network()
    optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)
    clock = Stamps()
    for _ in range(60):
        state, reward, following = (column.to("cuda", non_blocking=MENDED) for column in columns(memory))  # truth: here
        with torch.no_grad():
            worth = reward.unsqueeze(1) + 0.99 * target(following)
        loss = nn.functional.smooth_l1_loss(value(state), worth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        compute(4)  # the game goes on
        clock.step()
    clock.end()


main()
