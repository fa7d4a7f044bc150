# SPDX-License-Identifier: MIT
"""Losses are kept on the device and read after the loop; the host has asked for everything long before."""
# truth: class=gpu cause=device_compute steps=40 ahead=yes
# truth: never=launch-bound|input-bound|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=1ms
import torch
from stamps import Stamps
from torch import nn
from workload import network, regression


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    criterion = nn.MSELoss()
    x, y = regression()
    losses = []
    clock = Stamps()
    for _ in range(40):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        clock.step()
    clock.end()
    print(f"mean loss {sum(torch.stack(losses).tolist()) / len(losses):.4f}")


main()
