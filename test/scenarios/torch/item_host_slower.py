# SPDX-License-Identifier: MIT
"""The loss is read in each step, but the host is the slower one with or without that: the device is never far behind."""
# truth: class=cpu cause=idle_host steps=60
# truth: never=sync-scalar-read|sync-repeated-line|launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=30us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    best = 1e9
    clock = Stamps()
    for _ in range(60):
        loss = train_step(model, optimizer, x, y)
        best = min(best, loss.item())
        compute(12)  # the schedule is worked out anew
        clock.step()
    clock.end()
    print(f"best {best:.3f}")


main()
