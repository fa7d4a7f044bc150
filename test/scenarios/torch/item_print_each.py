# SPDX-License-Identifier: MIT
"""The loss is printed in each step, formatted straight from the tensor."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=800us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for step in range(60):
        loss = train_step(model, optimizer, x, y)
        print(f"step {step} loss {loss:.4f}")  # truth: here
        compute(5)  # the progress bar is drawn
        clock.step()
    clock.end()


main()
