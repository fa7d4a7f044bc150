# SPDX-License-Identifier: MIT
"""A short run with an evaluation after every fifth step, of more batches than there are steps between them."""
# truth: class=gpu cause=device_compute steps=20 ahead=yes phases=evaluation:4
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=2ms
import torch
from stamps import Stamps
from workload import network, regression, train_step


@torch.no_grad()
def evaluate(model, batches):
    model.eval()
    total = sum((model(x) - y).abs().mean() for x, y in batches).item()
    model.train()
    return total


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    held_out = [regression(16) for _ in range(8)]
    clock = Stamps()
    for step in range(1, 21):
        train_step(model, optimizer, x, y)
        clock.step()
        if step % 5 == 0:
            with clock.gap():
                evaluate(model, held_out)
    clock.end()


main()
