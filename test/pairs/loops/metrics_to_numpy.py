# SPDX-License-Identifier: MIT
"""Predictions are brought to the host for a metric; mended, it is made of tensors on the device."""
# truth: rule=sync-tensor-to-host|sync-scalar-read|copy-sync-large
# cudasim: CUDASIM_KERNELS=*gemm*=2ms;*=20us
import os

import torch

from stamps import Stamps
from workload import compute, network, regression, train_step

MENDED = os.environ["PAIR"] == "mended"

model = network()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = regression()
right, hits = 0, torch.zeros((), dtype=torch.long, device="cuda")
clock = Stamps()
for i in range(60):
    loss = train_step(model, optimizer, x, y)
    if MENDED:
        hits += (model(x).detach() > 0).sum()
    else:
        right += (model(x).detach().cpu().numpy() > 0).sum()  # truth: here
    compute(6)
    clock.step()
clock.end()
