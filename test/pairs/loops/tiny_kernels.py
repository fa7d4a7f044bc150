# SPDX-License-Identifier: MIT
"""A small network whose kernels end before the next one is launched; mended, the step is one graph."""
# truth: rule=launch-bound
# cudasim: CUDASIM_KERNELS=*=40us CUDASIM_LAUNCH=30us
import os

import torch
from torch import nn

from stamps import Stamps
from workload import capture_step, network, regression

MENDED = os.environ["PAIR"] == "mended"
model = network()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = regression()
if MENDED:
    graph, _ = capture_step(model, optimizer, x, y)
clock = Stamps()
for i in range(60):
    if MENDED:
        graph.replay()
    else:
        optimizer.zero_grad(set_to_none=False)
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    clock.step()
clock.end()
