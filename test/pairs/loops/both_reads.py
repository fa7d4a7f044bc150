# SPDX-License-Identifier: MIT
"""Two values are read one after the other; mended, none is, and the device goes on meanwhile."""
# truth: rule=sync-scalar-read predict=all
# cudasim: CUDASIM_KERNELS=*gemm*=2ms;*=20us
import os

import torch

from stamps import Stamps
from workload import compute, network, regression, train_step

MENDED = os.environ["PAIR"] == "mended"

model = network()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = regression()
total = 0.0
clock = Stamps()
for i in range(60):
    loss = train_step(model, optimizer, x, y)
    if not MENDED:
        total += loss.item()  # truth: here
    norm = model[0].weight.grad.norm()
    if not MENDED:
        total += norm.item()
    compute(6)
    clock.step()
clock.end()
