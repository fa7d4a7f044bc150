# SPDX-License-Identifier: MIT
"""The update is written out by hand: there is no optimiser that could mark a step."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=600us
import torch
from stamps import Stamps
from torch import nn
from workload import network, regression


def main():
    model = network()
    x, y = regression()
    clock = Stamps()
    for step in range(60):
        loss = nn.functional.mse_loss(model(x), y)
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= 0.01 * parameter.grad
        if step % 20 == 19:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
