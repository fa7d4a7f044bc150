# SPDX-License-Identifier: MIT
"""L-BFGS: a step of the optimiser evaluates the closure many times and reads each loss."""
# truth: class=gpu|mixed|cpu cause=device_compute|idle_sync|idle_host|idle_launch steps=10
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=40us
import torch
from stamps import Stamps
from torch import nn
from workload import network, regression


def main():
    model = network()
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)
    x, y = regression()

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        return loss

    clock = Stamps()
    for _ in range(10):
        optimizer.step(closure)
        clock.step()
    clock.end()


main()
