# SPDX-License-Identifier: MIT
"""Sixty steps whose ends are stamped: program.py WAY; prints [step, CLOCK_MONOTONIC ns at its end]."""
import os
import signal
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

STEPS = 60


def train(optimizers, way):
    x = torch.randn(64, 32).cuda()
    for step in range(STEPS):
        if way == "profiler" and step in (20, 40):
            (torch.cuda.profiler.start if step == 20 else torch.cuda.profiler.stop)()
        if way == "signal" and step in (20, 40):
            os.kill(os.getpid(), signal.SIGUSR1)
        for model, optimizer in optimizers:
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
        yield step


@torch.inference_mode()
def infer(model):
    for step, (x,) in enumerate(DataLoader(TensorDataset(torch.randn(STEPS * 8, 32)), batch_size=8)):
        model(x.cuda()).argmax(1).cpu()
        yield step


def main():
    way, ends = sys.argv[1], []
    models = [nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).cuda() for _ in range(2)]
    optimizers = [(model, torch.optim.SGD(model.parameters(), lr=0.01)) for model in models]
    steps = infer(models[0]) if way == "loader" else train(optimizers[:2 if way == "two" else 1], way)
    for step in steps:
        ends.append([step, time.clock_gettime_ns(time.CLOCK_MONOTONIC)])
    torch.cuda.synchronize()
    print(ends)


main()
