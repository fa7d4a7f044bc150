# SPDX-License-Identifier: MIT
"""Hard negatives are looked up by nonzero() in each step."""
# truth: class=cpu cause=idle_sync rule=sync-shape-dependent steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=450us
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
        hard = ((model(x) - y).abs() > loss.detach()).nonzero()  # truth: here
        compute(5)  # the sampler draws from them
        x[: len(hard) % 4] *= 0.99
        clock.step()
    clock.end()


main()
