# SPDX-License-Identifier: MIT
"""One training in three stages: it reads its loss after every step and makes its batches itself; then it keeps the loss
on the device; then four workers make the batches, and the device sets the pace."""
# cudasim: CUDASIM_KERNELS=*gemm*=7ms;*=20us
import os

import torch
from torch.utils.data import DataLoader

from stamps import Stamps
from workload import Images, compute, network, train_step

STAGE = int(os.environ["PAIR"])
model = network()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
loader = DataLoader(Images(480, 0.003), batch_size=8, num_workers=4 if STAGE == 3 else 0)
total = torch.zeros((), device="cuda")
clock = Stamps()
for x in loader:  # input
    x = x.cuda(non_blocking=True)
    loss = train_step(model, optimizer, x, x.sum(1, keepdim=True))
    if STAGE == 1:
        total += loss.item()  # read
    else:
        total += loss.detach()
    compute(14)
    clock.step()
clock.end()
