# SPDX-License-Identifier: MIT
"""Lengths of sequences live on the device and come back as a list, to cut a batch."""
# truth: class=cpu cause=idle_sync rule=sync-tensor-to-host|sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=900us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    lengths = torch.randint(1, 32, (64,)).cuda()
    clock = Stamps()
    for step in range(60):
        train_step(model, optimizer, x, y)
        longest = max(lengths.tolist())  # truth: here
        compute(5)  # the next batch is packed
        assert longest <= 32
        clock.step()
    clock.end()


main()
