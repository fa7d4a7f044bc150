# SPDX-License-Identifier: MIT
"""Four small batches make one step of the optimiser."""
# truth: class=gpu cause=device_compute steps=40 ahead=yes
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps
from torch import nn
from workload import network, regression

ACCUMULATE = 4


def main():
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batches = [regression(16) for _ in range(8)]
    clock = Stamps()
    for i in range(40 * ACCUMULATE):
        x, y = batches[i % len(batches)]
        loss = nn.functional.mse_loss(model(x), y) / ACCUMULATE
        loss.backward()
        if (i + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            clock.step()
    clock.end()


main()
