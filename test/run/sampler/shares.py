# SPDX-License-Identifier: MIT
"""Feeds the device from threads whose time goes into three functions, 60, 30 and 10 %."""
import ctypes
import sys
import threading
import time

cuda = ctypes.CDLL("libcudart.so.%s" % sys.argv[1])
SECONDS = float(sys.argv[2])
THREADS = int(sys.argv[3])
spent = [0.0, 0.0, 0.0]


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


def step(memory):
    begin = time.perf_counter()
    cuda.cudaMemset(memory, 0, ctypes.c_size_t(256))
    for number, (function, part) in enumerate(((calls, 6), (arithmetic, 3), (sleeps, 1))):
        now = time.perf_counter()
        function(now + 0.001 * part)
        if threading.current_thread() is threading.main_thread():
            spent[number] += time.perf_counter() - now
    return begin


def train():
    memory = ctypes.c_void_p()
    cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(256))
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        step(memory)


threads = [threading.Thread(target=train) for _ in range(THREADS - 1)]
for thread in threads:
    thread.start()
train()
for thread in threads:
    thread.join()
print("calls %.4f arithmetic %.4f sleeps %.4f" % tuple(part / sum(spent) for part in spent))
