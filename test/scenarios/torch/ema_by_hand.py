# SPDX-License-Identifier: MIT
"""A moving average of all weights, parameter by parameter in Python: more launches than the training itself."""
# truth: class=cpu cause=idle_launch rule=launch-bound steps=50
# truth: never=input-bound|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=4us
import copy

import torch
from stamps import Stamps
from torch import nn
from workload import regression


def deep():
    torch.manual_seed(0)
    return nn.Sequential(*(nn.Linear(32, 32) for _ in range(40)), nn.Linear(32, 1)).cuda()


@torch.no_grad()
def update(average, model, decay=0.99):
    for kept, now in zip(average.parameters(), model.parameters()):
        kept.mul_(decay)  # truth: or here
        kept.add_(now.detach() * (1 - decay))  # truth: or here


def main():
    model = deep()
    average = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x, y = regression()
    clock = Stamps()
    for _ in range(50):
        loss = nn.functional.mse_loss(model(x), y)  # truth: or here
        optimizer.zero_grad()
        loss.backward()  # truth: or here
        optimizer.step()
        update(average, model)
        clock.step()
    clock.end()


main()
