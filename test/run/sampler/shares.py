# SPDX-License-Identifier: MIT
"""Feeds the device from threads whose time goes into three functions, 60, 30 and 10 %."""
import ctypes
import sys
import threading
import time

cuda = ctypes.CDLL("libcudart.so.%s" % sys.argv[1])
SECONDS = float(sys.argv[2])
THREADS = int(sys.argv[3])
spent = []


def small(value):
    return value * 3 + 1


def calls(until):
    value = 0
    while time.perf_counter() < until:
        value = small(value) & 0xffff


def arithmetic(until):
    value = 0
    while time.perf_counter() < until:
        for i in range(100):
            value = value * 3 + i & 0xffff


def sleeps(until):
    while time.perf_counter() < until:
        time.sleep(0.0005)


def step(memory, own):
    cuda.cudaMemset(memory, 0, ctypes.c_size_t(256))
    for number, (function, part) in enumerate(((calls, 6), (arithmetic, 3), (sleeps, 1))):
        now = time.perf_counter()
        function(now + 0.001 * part)
        own[number] += time.perf_counter() - now


def train():
    memory = ctypes.c_void_p()
    cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(256))
    own = [0.0, 0.0, 0.0]
    spent.append(own)
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        step(memory, own)


threads = [threading.Thread(target=train) for _ in range(THREADS - 1)]
for thread in threads:
    thread.start()
train()
for thread in threads:
    thread.join()
print("calls %.4f arithmetic %.4f sleeps %.4f" % tuple(sum(own[i] for own in spent) / sum(map(sum, spent)) for i in range(3)))
