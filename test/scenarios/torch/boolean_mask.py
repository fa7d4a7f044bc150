# SPDX-License-Identifier: MIT
"""Padding is cut out with a boolean mask, whose size only the device knows."""
# truth: class=cpu cause=idle_sync rule=sync-shape-dependent steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps
from workload import compute, network, regression


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, _ = regression()
    lengths = torch.randint(1, 32, (64, 1)).cuda()
    clock = Stamps()
    for step in range(60):
        valid = lengths > step % 16
        outputs = model(x)[valid]  # truth: here
        compute(5)  # the next targets are drawn
        loss = outputs.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.step()
    clock.end()


main()
