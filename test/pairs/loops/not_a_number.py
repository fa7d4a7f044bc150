# SPDX-License-Identifier: MIT
"""Every loss is tested for being a number; mended, no test."""
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
clock = Stamps()
for i in range(60):
    loss = train_step(model, optimizer, x, y)
    if not MENDED:
        if torch.isnan(loss):  # truth: here
            raise SystemExit("not a number")
    compute(10)
    clock.step()
clock.end()
