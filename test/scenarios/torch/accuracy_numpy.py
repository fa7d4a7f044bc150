# SPDX-License-Identifier: MIT
"""Accuracy per batch, through .cpu().numpy() like in many tutorials."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read|sync-tensor-to-host steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    correct = 0
    clock = Stamps()
    for step in range(60):
        train_step(model, optimizer, x, y)
        predicted = model(x) > 0
        correct += predicted.eq(y > 0).sum().cpu().numpy()  # truth: here
        compute(5)  # the metrics are aggregated
        clock.step()
    clock.end()


main()
