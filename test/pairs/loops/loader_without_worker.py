# SPDX-License-Identifier: MIT
"""A loader without workers whose samples take a while; mended, they take no time."""
# truth: rule=input-bound
# cudasim: CUDASIM_KERNELS=*gemm*=2ms;*=20us
import os

import torch
from torch.utils.data import DataLoader

from stamps import Stamps
from workload import Images, compute, network, train_step

MENDED = os.environ["PAIR"] == "mended"
model = network()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
loader = DataLoader(Images(480, 0.0 if MENDED else 0.0025), batch_size=8)
clock = Stamps()
for x in loader:  # truth: here
    x = x.cuda()
    train_step(model, optimizer, x, x.sum(1, keepdim=True))
    compute(4)
    clock.step()
clock.end()
