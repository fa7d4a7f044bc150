# SPDX-License-Identifier: MIT
"""The running loss is read after every step; mended, it is added up on the device."""
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
total = torch.zeros((), device="cuda")
clock = Stamps()
for i in range(60):
    loss = train_step(model, optimizer, x, y)
    if MENDED:
        total += loss.detach()
    else:
        total += loss.item()  # truth: here
    compute(6)
    clock.step()
clock.end()
