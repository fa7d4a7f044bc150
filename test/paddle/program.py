# SPDX-License-Identifier: MIT
"""Trains with PaddlePaddle on the processor: program.py slow|workers|profiled|fit|static FILE

FILE gets what the program knows of itself, as JSON: steps, the mean step and the share of time between batches behind
the first ten steps, what Paddle's own timer says of it (the file FILE.timer), and in the mode profiled what its
profiler exported (the folder FILE.profile). The mode fit is a library's loop, with evaluations and checkpoints,
static a graph with its executor."""
import contextlib
import json
import os
import sys
import tempfile
import time

import numpy as np
import paddle
from paddle import nn, profiler
from paddle.io import DataLoader, Dataset

STEPS, WARM, BATCH = 60, 10, 8
READER = 0.352  # of a step: what a performance guide of Paddle's shows before it adds workers
COMPUTE = 0.040
READS = {
    "slow": lambda tensor: tensor.item(),  # read: slow
    "workers": lambda tensor: tensor.numpy(),  # read: workers
    "profiled": lambda tensor: float(tensor),  # read: profiled
}


class Samples(Dataset):
    """A batch is made while the one before it is computed with, and takes so much longer than that."""

    def __init__(self, batches=STEPS, batch_s=COMPUTE / (1 - READER)):
        super().__init__()
        self.batches, self.batch_s = batches, batch_s

    def __len__(self):
        return self.batches * BATCH

    def __getitem__(self, index):
        time.sleep(self.batch_s / BATCH)
        return np.full(64, index / 100, "float32"), np.ones(8, "float32")


def compute(until):
    while time.perf_counter() < until:
        time.sleep(0)


def train(workers, read, file):
    network = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8))
    optimizer = paddle.optimizer.Adam(learning_rate=1e-3, parameters=network.parameters())
    steps, waited, begin = 0, 0, None
    timer = profiler.Profiler(timer_only=True)
    timer.start()
    last = time.perf_counter()
    for x, y in DataLoader(Samples(), batch_size=BATCH, shuffle=False, num_workers=workers):  # batches
        now = time.perf_counter()
        waited += now - last if begin else 0
        loss = nn.functional.mse_loss(network(x), y)
        loss.backward()
        compute(now + COMPUTE)
        optimizer.step()
        optimizer.clear_grad()
        read(loss)
        steps += 1
        timer.step()
        last = time.perf_counter()
        if steps == WARM:
            begin = last
    whole = last - begin
    with open(file + ".timer", "w", encoding="utf-8") as out, contextlib.redirect_stdout(out):
        timer.stop()
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


class Clock(paddle.callbacks.Callback):
    """Steps of a loop that is not ours, and what it does between them."""

    def __init__(self):
        super().__init__()
        self.steps, self.aside, self.at, self.evaluations = 0, 0, [], []

    def on_train_batch_begin(self, step, logs=None):
        compute(time.perf_counter() + COMPUTE / 2)

    def on_train_batch_end(self, step, logs=None):
        self.steps += 1
        self.at.append(time.perf_counter())

    def on_eval_begin(self, logs=None):
        self.begin = time.perf_counter()

    def on_eval_end(self, logs=None):
        self.evaluations.append((self.steps, time.perf_counter() - self.begin))


def fit(file):
    clock = Clock()
    model = paddle.Model(nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8)))
    model.prepare(paddle.optimizer.Adam(parameters=model.parameters()), nn.MSELoss())
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w", encoding="utf-8") as null, \
            contextlib.redirect_stdout(null):
        model.fit(Samples(20, COMPUTE / 8), Samples(40, COMPUTE / 8), batch_size=BATCH, shuffle=False, epochs=4,
                  verbose=0, save_dir=folder, num_workers=0, callbacks=[clock])
    inside = [length for step, length in clock.evaluations if WARM <= step < clock.steps]
    whole = clock.at[-1] - clock.at[WARM - 1] - sum(inside)
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"steps": clock.steps, "step_ns": 1e9 * whole / (clock.steps - WARM),
                   "evaluations": len(clock.evaluations),
                   "evaluation_ns": 1e9 * sum(length for _, length in clock.evaluations)}, out)


def static(file):
    paddle.enable_static()
    x, y = paddle.static.data("x", [None, 64], "float32"), paddle.static.data("y", [None, 8], "float32")
    loss = paddle.mean(nn.functional.square_error_cost(paddle.static.nn.fc(x, 8), y))
    paddle.optimizer.Adam(1e-3).minimize(loss)
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(paddle.static.default_startup_program())
    steps, waited, begin, last = 0, 0, None, time.perf_counter()
    for feed in DataLoader(Samples(), feed_list=[x, y], places=paddle.CPUPlace(), batch_size=BATCH, return_list=False):
        now = time.perf_counter()
        waited += now - last if begin else 0
        compute(now + COMPUTE)
        executor.run(feed=feed, fetch_list=[loss])
        steps += 1
        last = time.perf_counter()
        if steps == WARM:
            begin = last
    whole = last - begin
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"steps": steps, "step_ns": 1e9 * whole / (steps - WARM), "reader_pct": 100 * waited / whole}, out)


if __name__ == "__main__":
    paddle.set_device("cpu")
    if sys.argv[1] == "fit":
        fit(sys.argv[2])
    elif sys.argv[1] == "static":
        static(sys.argv[2])
    elif sys.argv[1] == "profiled":
        profile(READS["profiled"], sys.argv[2])
    else:
        train(2 if sys.argv[1] == "workers" else 0, READS[sys.argv[1]], sys.argv[2])
    print("trained")
