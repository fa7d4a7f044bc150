# SPDX-License-Identifier: MIT
"""A loader whose one worker is slower than the training; mended, four workers are faster."""
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
loader = DataLoader(Images(480, 0.003), batch_size=8, num_workers=4 if MENDED else 1)
clock = Stamps()
for x in loader:  # truth: here
    x = x.cuda()
    train_step(model, optimizer, x, x.sum(1, keepdim=True))
    compute(3)
    clock.step()
clock.end()
