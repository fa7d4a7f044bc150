# SPDX-License-Identifier: MIT
"""Distillation: a frozen teacher and a student, one optimiser."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from torch import nn
from workload import network, regression


def main():
    teacher, student = network(outputs=8).eval(), network(outputs=8)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.05)
    x, _ = regression()
    clock = Stamps()
    for step in range(60):
        with torch.no_grad():
            wanted = teacher(x).softmax(1)
        loss = nn.functional.kl_div(student(x).log_softmax(1), wanted, reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        if step % 20 == 19:
            print(f"loss {loss.item():.5f}")
        clock.step()
    clock.end()


main()
