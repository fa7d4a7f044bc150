# SPDX-License-Identifier: MIT
"""A gradient hook logs norms: the wait happens on autograd's thread, in the middle of the backward pass."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=700us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


class NormLogger:
    def __init__(self, model):
        self.norms = []
        for parameter in model.parameters():
            parameter.register_hook(self.log)

    def log(self, gradient):
        self.norms.append(gradient.norm().item())  # truth: here
        compute(1.5)  # histogram


def main():
    model = network()
    NormLogger(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.step()
    clock.end()


main()
