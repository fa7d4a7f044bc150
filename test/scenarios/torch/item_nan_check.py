# SPDX-License-Identifier: MIT
"""Training stops when the loss is not a number, which is asked in each step."""
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
        loss = train_step(model, optimizer, x, y)
        if torch.isnan(loss):  # truth: here
            raise RuntimeError(f"loss is NaN in step {step}")
        compute(5)  # the next batch is drawn
        clock.step()
    clock.end()


main()
