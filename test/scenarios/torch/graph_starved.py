# SPDX-License-Identifier: MIT
"""A replayed step, and host code between the replays that reads the loss: graphs are there already."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=80
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=600us
import torch
from stamps import Stamps
from workload import capture_step, compute, network, regression


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    graph, loss = capture_step(model, optimizer, x, y)
    clock = Stamps()
    for step in range(80):
        x.add_(0.001)
        graph.replay()
        value = loss.item()  # truth: here
        compute(5 if value >= 0 else 0)  # the curve is drawn
        clock.step()
    clock.end()


main()
