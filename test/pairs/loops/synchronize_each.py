# SPDX-License-Identifier: MIT
"""synchronize() after every step, for no reason; mended, without."""
# truth: rule=sync-explicit
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
        torch.cuda.synchronize()  # truth: here
    compute(6)
    clock.step()
clock.end()
