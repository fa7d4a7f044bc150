# SPDX-License-Identifier: MIT
"""Each loss is compared with the best one; mended, the device keeps the smaller one."""
# truth: rule=sync-scalar-read
# cudasim: CUDASIM_KERNELS=*gemm*=2ms;*=20us
import os

import torch

from stamps import Stamps
from workload import compute, network, regression, train_step

MENDED = os.environ["PAIR"] == "mended"

model = network()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = regression()
best, least = 1e9, torch.full((), 1e9, device="cuda")
clock = Stamps()
for i in range(60):
    loss = train_step(model, optimizer, x, y)
    if MENDED:
        least = torch.minimum(least, loss.detach())
    else:
        best = min(best, loss.item())  # truth: here
    compute(4)
    clock.step()
clock.end()
