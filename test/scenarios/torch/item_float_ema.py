# SPDX-License-Identifier: MIT
"""A moving average of the loss, by float()."""
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
    average = 0.0
    clock = Stamps()
    for step in range(60):
        loss = train_step(model, optimizer, x, y)
        average = 0.9 * average + 0.1 * float(loss)  # truth: here
        compute(5)  # the curve is sent to the dashboard
        clock.step()
    clock.end()


main()
