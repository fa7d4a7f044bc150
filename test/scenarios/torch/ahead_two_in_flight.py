# SPDX-License-Identifier: MIT
"""The host is held back by an event, so that no more than two steps are under way."""
# truth: class=gpu cause=device_compute steps=60 ahead=yes
# truth: never=launch-bound|input-bound|sync-explicit
# cudasim: CUDASIM_KERNELS=*=800us
import collections

import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    in_flight = collections.deque()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        in_flight.append(torch.cuda.Event())
        in_flight[-1].record()
        if len(in_flight) > 2:
            in_flight.popleft().synchronize()
        clock.step()
    clock.end()


main()
