# SPDX-License-Identifier: MIT
"""A ranking metric keeps its scores on the host and sorts them all in each step."""
# truth: class=cpu cause=idle_host rule=host-operator steps=60
# truth: never=launch-bound|input-bound|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=100us
import torch
from stamps import Stamps
from workload import network, regression, train_step


def average_precision(scores, relevant):
    order = torch.argsort(scores, descending=True)  # truth: here
    hits = relevant[order].cumsum(0)
    return (hits / torch.arange(1, len(hits) + 1)).mean()


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    scores, relevant = torch.rand(120_000), torch.ones(120_000)
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        clock.mark()
        average_precision(scores, relevant)
        clock.spent("idle_host")
        clock.step()
    clock.end()


main()
