# SPDX-License-Identifier: MIT
"""Meta-learning: for each task a copy of the weights takes three steps by hand, then the optimiser takes one of them all."""
# truth: class=gpu cause=device_compute steps=40
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=400us
import torch
from stamps import Stamps
from torch import nn
from torch.func import functional_call
from workload import network, regression


def adapt(model, x, y):
    weights = dict(model.named_parameters())
    for _ in range(3):
        loss = nn.functional.mse_loss(functional_call(model, weights, x), y)
        gradients = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
        weights = {name: old - 0.01 * slope for (name, old), slope in zip(weights.items(), gradients)}
    return weights


def main():
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    tasks = [regression(16) for _ in range(2)]
    clock = Stamps()
    for _ in range(40):
        losses = [nn.functional.mse_loss(functional_call(model, adapt(model, x, y), x), y) for x, y in tasks]
        optimizer.zero_grad()
        torch.stack(losses).mean().backward()
        optimizer.step()
        torch.cuda.synchronize()  # losses are drawn
        clock.step()
    clock.end()


main()
