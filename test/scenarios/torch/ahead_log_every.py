# SPDX-License-Identifier: MIT
"""A line of log every twenty steps; in between the host runs ahead of the device."""
# truth: class=gpu cause=device_compute steps=80
# truth: never=launch-bound|input-bound|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=800us
import torch
from stamps import Stamps
from workload import network, regression, train_step

LOG_EVERY = 20


def main():
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, y = regression()
    clock = Stamps()
    for step in range(1, 81):
        loss = train_step(model, optimizer, x, y)
        if step % LOG_EVERY == 0:
            print(f"step {step}: loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
