# SPDX-License-Identifier: MIT
"""Evaluation after every fifth step; between them training waits for the loss in each step, then does its own work."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=800us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


@torch.no_grad()
def evaluate(model, batches):
    model.eval()
    good = 0
    for x, y in batches:
        good += (model(x) - y).abs().lt(0.5).sum().item()
    model.train()
    return good


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    held_out = [regression(16) for _ in range(3)]
    history = []
    clock = Stamps()
    for step in range(1, 61):
        loss = train_step(model, optimizer, x, y)
        history.append(loss.item())  # truth: here
        compute(6)  # a chart is drawn
        clock.step()
        if step % 5 == 0:
            with clock.gap():
                history.append(evaluate(model, held_out))
    clock.end()


main()
