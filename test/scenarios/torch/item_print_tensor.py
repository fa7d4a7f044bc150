# SPDX-License-Identifier: MIT
"""A tensor is printed in each step; to show it, PyTorch reads it back value by value."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read|sync-tensor-to-host steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=300us
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
        print(model[2].bias.detach())  # truth: here
        compute(5)  # the next batch is drawn
        clock.step()
    clock.end()


main()
