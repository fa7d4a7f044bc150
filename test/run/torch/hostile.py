# SPDX-License-Identifier: MIT
"""Where a tracer could trip: short threads, forks inside ranges, ends elsewhere, exit."""
import atexit
import os
import sys
import threading

import torch
from torch.autograd import profiler

torch.set_num_threads(1)


def short():
    with profiler.record_function("short"):
        torch.ones(2).sum()


def forked():
    with profiler.record_function("enumerate(DataLoader)#forked"):
        child = os.fork()
        if child == 0:
            for _ in range(100):
                with profiler.record_function("child"):
                    torch.ones(2).add_(1)
            os._exit(7)
        return os.waitpid(child, 0)[1] >> 8


def begun_elsewhere():
    ranges = []

    def begin():
        for number in range(300):
            context = profiler.record_function("begun %d" % number)
            context.__enter__()
            ranges.append(context)
    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    for context in ranges:
        context.__exit__(None, None, None)


def left_open():
    for number in range(400):
        profiler.record_function("open %d" % number).__enter__()
        torch.ones(1)


def backward():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            with profiler.record_function("own backward"):
                return grad * 2
    x = torch.ones(3, requires_grad=True)
    Twice.apply(x).sum().backward()
    return x.grad.sum().item()


class Late:
    def __del__(self, ones=torch.ones):
        ones(2)


for _ in range(300):
    thread = threading.Thread(target=short)
    thread.start()
    thread.join()
print("forked", forked(), forked())
begun_elsewhere()
left_open()
print("backward", backward())
errors = 0
for _ in range(50):
    try:
        torch.ones(2) @ torch.ones(3)
    except RuntimeError:
        errors += 1
print("errors", errors)
sys.late = Late()
atexit.register(short)
short()
print("last")
