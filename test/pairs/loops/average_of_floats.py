# SPDX-License-Identifier: MIT
"""An average over time is kept in a float; mended, in a tensor."""
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
average, smooth = 0.0, torch.zeros((), device="cuda")
clock = Stamps()
for i in range(60):
    loss = train_step(model, optimizer, x, y)
    if MENDED:
        smooth.mul_(0.9).add_(loss.detach(), alpha=0.1)
    else:
        average = 0.9 * average + 0.1 * float(loss)  # truth: here
    compute(7)
    clock.step()
clock.end()
