# SPDX-License-Identifier: MIT
"""After each step a mean of the weights; held-out batches then pass the lines of the training, and nothing comes between."""
# truth: class=gpu|mixed cause=device_compute steps=80 phases=evaluation:7 ahead=any
# truth: never=input-bound|sync-scalar-read|step-outlier
# cudasim: CUDASIM_KERNELS=*=250us
import copy

import torch
from stamps import Stamps
from torch import nn
from workload import network, regression


def criterion(model, x, y):
    return nn.functional.mse_loss(model(x), y)


def main():
    model = network()
    mean = copy.deepcopy(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    held = [regression() for _ in range(4)]
    clock = Stamps()
    for step in range(1, 81):
        loss = criterion(model, x, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for a, b in zip(mean.parameters(), model.parameters()):
                a.lerp_(b, 0.01)
        clock.step()
        if step % 10 == 0 and step < 80:
            with clock.gap(), torch.no_grad():
                print(sum(criterion(mean, a, b).item() for a, b in held))
    clock.end()


main()
