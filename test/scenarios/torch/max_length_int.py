# SPDX-License-Identifier: MIT
"""The longest sequence of a batch is made an int, in order to slice by it."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=700us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    lengths = torch.randint(8, 32, (64,)).cuda()
    clock = Stamps()
    for step in range(60):
        longest = int(lengths.max())  # truth: here
        compute(5)  # positions are computed
        z = torch.zeros_like(x)
        z[:, :longest] = x[:, :longest]
        train_step(model, optimizer, z, y)
        clock.step()
    clock.end()


main()
