# SPDX-License-Identifier: MIT
"""The best loss so far is kept as a tensor, and compared in each step."""
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
    best = torch.tensor(float("inf"), device="cuda")
    clock = Stamps()
    for step in range(60):
        loss = train_step(model, optimizer, x, y).detach()
        if loss < best:  # truth: here
            best = loss
        compute(5)  # early stopping is considered
        clock.step()
    clock.end()


main()
