# SPDX-License-Identifier: MIT
"""After every ten steps all of the validation set is gone through, which takes longer than these steps."""
# truth: class=cpu cause=idle_host steps=60 phases=evaluation:5 rule=phase-long
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=50us
import torch
from stamps import Stamps
from torch import nn
from workload import compute, network, regression, train_step


def words_wrong(x, y):
    return sum(1 for _ in range(200000) if x is y)  # truth: or here


@torch.no_grad()
def validate(model, batches):
    model.eval()
    total = 0.0
    for x, y in batches:
        total += nn.functional.l1_loss(model(x), y).item()
        total += words_wrong(x, y)  # truth: or here
    model.train()
    return total / len(batches)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    held_out = [regression(16) for _ in range(40)]
    clock = Stamps()
    for step in range(1, 61):
        train_step(model, optimizer, x, y)
        compute(4)
        clock.step()
        if step % 10 == 0 and step < 60:
            with clock.gap():
                print(f"step {step}: {validate(model, held_out):.4f}")
    clock.end()


main()
