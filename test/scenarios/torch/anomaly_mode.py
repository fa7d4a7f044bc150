# SPDX-License-Identifier: MIT
"""Anomaly detection was left on: each gradient is looked at on the host in the backward pass."""
# truth: class=cpu cause=idle_sync|idle_host|idle_launch rule=sync-scalar-read|sync-repeated-line steps=60
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=60us
import torch
from stamps import Stamps
from torch import nn
from workload import compute, network, regression


def main():
    torch.autograd.set_detect_anomaly(True)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()  # truth: here
        optimizer.step()
        compute(3)
        clock.step()
    clock.end()


main()
