# SPDX-License-Identifier: MIT
"""A small network whose kernels end before the next one is launched; mended, the step is one graph."""
# truth: rule=launch-bound
# cudasim: CUDASIM_KERNELS=*=40us CUDASIM_LAUNCH=30us
import os

import torch

from stamps import Stamps
from workload import capture_step, network, regression, train_step

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
        train_step(model, optimizer, x, y)
    clock.step()
clock.end()
