# SPDX-License-Identifier: MIT
"""Lengths are brought to the host as a list; mended, they stay."""
# truth: rule=sync-tensor-to-host|sync-scalar-read
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
        lengths = (x > 0).sum(1)
    else:
        lengths = (x > 0).sum(1).tolist()  # truth: here
    compute(5)
    clock.step()
clock.end()
