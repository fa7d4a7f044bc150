# SPDX-License-Identifier: MIT
"""An event is recorded and waited for after every step; mended, only recorded."""
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
event = torch.cuda.Event()
clock = Stamps()
for i in range(60):
    loss = train_step(model, optimizer, x, y)
    if MENDED:
        event.record()
    else:
        event.record()
        event.synchronize()  # truth: here
    compute(9)
    clock.step()
clock.end()
