# SPDX-License-Identifier: MIT
"""An assertion about the gradients that nobody took out again."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=800us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for step in range(60):
        train_step(model, optimizer, x, y)
        assert torch.isfinite(model[0].weight.grad).all()  # truth: here
        compute(5)  # learning rates are scheduled
        clock.step()
    clock.end()


main()
