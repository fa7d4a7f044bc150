# SPDX-License-Identifier: MIT
"""A batch in pageable memory is copied to the device, which blocks; mended, from pinned memory and without a wait."""
# truth: rule=copy-sync-large|copy-pageable-async|copy-pageable
# cudasim: CUDASIM_KERNELS=*gemm*=2ms;*=20us
import os

import torch

from stamps import Stamps
from workload import compute, network, regression, train_step

MENDED = os.environ["PAIR"] == "mended"

model = network()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = regression()
pageable = torch.randn(1 << 21)
pinned = pageable.pin_memory()
clock = Stamps()
for i in range(60):
    loss = train_step(model, optimizer, x, y)
    if MENDED:
        batch = pinned.cuda(non_blocking=True)
    else:
        batch = pageable.cuda()  # truth: here
    compute(4)
    clock.step()
clock.end()
