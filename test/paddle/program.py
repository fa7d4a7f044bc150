# SPDX-License-Identifier: MIT
"""Trains with PaddlePaddle on the processor: program.py slow|workers|profiled FILE

FILE gets what the program knows of itself, as JSON: steps, the mean step and the share of time between batches behind
the first ten steps, and in the mode profiled what Paddle's profiler exported (the folder FILE.profile)."""
import json
import sys
import time

import numpy as np
import paddle
from paddle import nn, profiler
from paddle.io import DataLoader, Dataset

STEPS, WARM, BATCH = 60, 10, 8
COMPUTE = 0.040
READS = {
    "slow": lambda tensor: tensor.item(),  # read: slow
    "workers": lambda tensor: tensor.numpy(),  # read: workers
    "profiled": lambda tensor: float(tensor),  # read: profiled
}


class Samples(Dataset):
    """A batch takes 1.54 times as long as the rest of a step: 35 % of a step waits for it."""

    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        time.sleep(1.54 * COMPUTE / BATCH)
        return np.full(64, index / 100, "float32"), np.ones(8, "float32")


def compute(until):
    while time.perf_counter() < until:
        time.sleep(0)


def train(workers, read, file):
    network = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8))
    optimizer = paddle.optimizer.Adam(learning_rate=1e-3, parameters=network.parameters())
    steps, waited, begin, last = 0, 0, None, time.perf_counter()
    for x, y in DataLoader(Samples(), batch_size=BATCH, shuffle=False, num_workers=workers):
        now = time.perf_counter()
        waited += now - last if begin else 0
        loss = nn.functional.mse_loss(network(x), y)
        loss.backward()
        compute(now + COMPUTE)
        optimizer.step()
        optimizer.clear_grad()
        read(loss)
        steps += 1
        last = time.perf_counter()
        if steps == WARM:
            begin = last
    whole = last - begin
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"steps": steps, "step_ns": 1e9 * whole / (steps - WARM), "reader_pct": 100 * waited / whole}, out)


def profile(read, file):
    network = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256))
    optimizer = paddle.optimizer.Adam(learning_rate=1e-3, parameters=network.parameters())
    x, y = paddle.ones([512, 256]), paddle.ones([512, 256])
    watch = profiler.Profiler(targets=[profiler.ProfilerTarget.CPU],
                              on_trace_ready=profiler.export_chrome_tracing(file + ".profile"))
    watch.start()
    for _ in range(STEPS):
        with profiler.RecordEvent("forward of the script"):
            loss = nn.functional.mse_loss(network(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        read(loss)
    watch.stop()
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"steps": STEPS}, out)


if __name__ == "__main__":
    paddle.set_device("cpu")
    if sys.argv[1] == "profiled":
        profile(READS["profiled"], sys.argv[2])
    else:
        train(2 if sys.argv[1] == "workers" else 0, READS[sys.argv[1]], sys.argv[2])
    print("trained")
