# SPDX-License-Identifier: MIT
"""The classes of a batch are found by unique() on the device."""
# truth: class=cpu cause=idle_sync rule=sync-shape-dependent steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=650us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    labels = torch.randint(0, 8, (64,)).cuda()
    clock = Stamps()
    for step in range(60):
        train_step(model, optimizer, x, y)
        present = torch.unique(labels)  # truth: here
        compute(5)  # prototypes of these classes are chosen
        assert present.shape[0] <= 8
        clock.step()
    clock.end()


main()
