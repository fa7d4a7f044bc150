# SPDX-License-Identifier: MIT
"""Rows are chosen by a mask, whose count the host has to know; mended, the others are weighed with 0."""
# truth: rule=sync-shape-dependent
# cudasim: CUDASIM_KERNELS=*gemm*=2ms;*=20us
import os

import torch

from stamps import Stamps
from workload import compute, network, regression, train_step

MENDED = os.environ["PAIR"] == "mended"

model = network()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = regression()
clock = Stamps()
for i in range(60):
    loss = train_step(model, optimizer, x, y)
    if MENDED:
        rows = x * (x[:, :1] > 0)
    else:
        rows = x[x[:, 0] > 0]  # truth: here
    compute(6)
    clock.step()
clock.end()
