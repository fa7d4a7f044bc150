# SPDX-License-Identifier: MIT
"""Forty numbers are made tensors and sent to the device one by one in each step."""
# truth: class=cpu cause=idle_sync|idle_launch|idle_host|device_copy rule=copy-many-small steps=60
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=10us
import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    x, y = regression()
    clock = Stamps()
    for step in range(60):
        weights = []
        for i in range(40):
            weights.append(torch.tensor(1.0 + i / (step + 1), device="cuda"))  # truth: here
        train_step(model, optimizer, x, y * torch.stack(weights).mean())
        clock.step()
    clock.end()


main()
