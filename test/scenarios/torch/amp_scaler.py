# SPDX-License-Identifier: MIT
"""Mixed precision: the scaler reads in each step whether a gradient overflowed, inside the framework's own code."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read|sync-amp-scaler steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from torch import nn
from workload import compute, network, regression


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cuda")
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # truth: here
        scaler.update()
        compute(5)  # the next batch is drawn
        clock.step()
    clock.end()


main()
