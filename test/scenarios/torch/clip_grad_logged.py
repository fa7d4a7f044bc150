# SPDX-License-Identifier: MIT
"""Gradients are clipped, and the norm that comes back is logged as a number in each step; then a chart is drawn."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from torch import nn
from workload import compute, network, regression


def main():
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, y = regression()
    norms = []
    clock = Stamps()
    for _ in range(60):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        norms.append(norm.item())  # truth: here
        compute(12)
        clock.step()
    clock.end()


main()
