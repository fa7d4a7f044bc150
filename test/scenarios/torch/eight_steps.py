# SPDX-License-Identifier: MIT
"""A short run of eight steps, drained in each."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=8
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=1ms
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for step in range(8):
        loss = train_step(model, optimizer, x, y)
        print(f"{step}: {loss.item():.4f}")  # truth: here
        compute(8)  # plots are drawn
        clock.step()
    clock.end()


main()
