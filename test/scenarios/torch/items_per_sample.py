# SPDX-License-Identifier: MIT
"""The losses of all samples are logged one by one: many waits in one step."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=600us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    per_sample = []
    clock = Stamps()
    for step in range(60):
        train_step(model, optimizer, x, y)
        losses = (model(x) - y).abs().flatten()[:16]
        for loss in losses:
            per_sample.append(loss.item())  # truth: here
        compute(5)  # the worst samples are written down
        clock.step()
    clock.end()


main()
