# SPDX-License-Identifier: MIT
"""A validation of ten batches after every twenty steps of training: a phase of its own, no step."""
# truth: class=gpu cause=device_compute steps=80 ahead=yes
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from torch import nn
from workload import compute, network, regression, train_step


@torch.no_grad()
def validate(model, batches):
    model.eval()
    total = 0.0
    for x, y in batches:
        total += nn.functional.l1_loss(model(x), y).item()
        compute(2)
    model.train()
    return total / len(batches)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    held_out = [regression(16) for _ in range(10)]
    clock = Stamps()
    for step in range(1, 81):
        train_step(model, optimizer, x, y)
        clock.step()
        if step % 20 == 0:
            with clock.gap():
                print(f"step {step}: {validate(model, held_out):.4f}")
    clock.end()


main()
