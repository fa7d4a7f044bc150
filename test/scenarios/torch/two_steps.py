# SPDX-License-Identifier: MIT
"""A smoke test: two steps and out."""
# truth: class=none cause=none steps=2
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(2):
        print(f"loss {train_step(model, optimizer, x, y).item():.4f}")
        clock.step()
    clock.end()


main()
