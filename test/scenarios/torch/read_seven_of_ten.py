# SPDX-License-Identifier: MIT
"""The loss is read unless the sample is held out: in seven steps of ten, not in every one."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=100
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=600us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step

HELD_OUT = (1, 4, 7)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    total = 0.0
    clock = Stamps()
    for step in range(100):
        loss = train_step(model, optimizer, x, y)
        if step % 10 not in HELD_OUT:
            total += loss.item()  # truth: here
        compute(2)
        clock.step()
    clock.end()
    print(f"sum {total:.3f}")


main()
