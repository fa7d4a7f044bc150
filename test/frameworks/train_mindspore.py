# SPDX-License-Identifier: MIT
"""Trains with MindSpore on the processor, operator by operator or as a graph: train_mindspore.py MODE FILE

loads, computes, graph: a data set that is slower than the training or not; own, compiled: arrays of its own, step by step
or as one compiled function. evaluates: a data set with two processes, and arrays that are evaluated between epochs. sinks:
Model.train with its steps in the framework's own loop (dataset_sink_mode). maps, batches: the slow stage of the data set is a
map() or a batch(), where it is the generator else.

FILE gets what the program's own stop-watch says behind the first ten steps, as JSON."""
import json
import sys
import time

import mindspore
import numpy as np
from mindspore import dataset, nn

STEPS, WARM, BATCH = 60, 10, 8
EPOCHS, CHECKS = 3, 70  # of evaluates


class Samples:
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        if self.seconds:
            time.sleep(self.seconds)
        return np.full(64, index / 1000, np.float32), np.ones(1, np.float32)


def train(mode, path):
    graph = mindspore.GRAPH_MODE if mode == "graph" else mindspore.PYNATIVE_MODE
    mindspore.set_context(device_target="CPU", mode=graph)
    wide = 1024 if mode == "computes" else 64
    network = nn.SequentialCell(nn.Dense(64, wide), nn.ReLU(), nn.Dense(wide, 1))
    loss_of = nn.MSELoss()
    optimizer = nn.SGD(network.trainable_params(), 1e-3)

    def forward(x, y):
        return loss_of(network(x), y)

    if mode == "sinks":
        sink(mindspore.train.Model(network, loss_of, optimizer), path)
        return
    gradient = mindspore.value_and_grad(forward, None, optimizer.parameters)
    if mode == "evaluates":
        evaluate(gradient, optimizer, forward, path)
        return
    if mode in ("own", "compiled"):
        step_by_step(mode, gradient, optimizer, path)
        return
    data, pace = stages(mode)
    counted, waited, begin, last = 0, 0, None, time.perf_counter()
    for x, y in data.create_tuple_iterator(num_epochs=1):
        waited += time.perf_counter() - last if begin else 0
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        loss.asnumpy()
        counted += 1
        last = time.perf_counter()
        if counted == WARM:
            begin = last
    whole = last - begin
    write(path, {"steps": counted, "step_ns": 1e9 * whole / (counted - WARM), "reader_pct": 100 * waited / whole,
                 "pace": pace})


def slowly(value):
    time.sleep(0.015)
    return value


def slowly_all(xs, ys, _):
    time.sleep(0.12)
    return xs, ys


def stages(mode):
    """The data set, and the stage that sets its pace; None: it waits for the loop."""
    slow = {"computes": None, "maps": "MapOp", "batches": "BatchOp"}.get(mode, "GeneratorOp")
    data = dataset.GeneratorDataset(Samples(0.015 if slow == "GeneratorOp" else 0), ["x", "y"], shuffle=False,
                                    num_parallel_workers=1)
    if mode == "maps":
        data = data.map(slowly, ["x"], num_parallel_workers=1)
    if mode == "batches":
        return data.batch(BATCH, per_batch_map=slowly_all, num_parallel_workers=1), slow
    return data.batch(BATCH), slow


def step_by_step(mode, gradient, optimizer, path):
    """Without a data set; the loss is only read now and then."""
    x, y = np.ones((BATCH, 64), np.float32), np.ones((BATCH, 1), np.float32)

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    step = mindspore.jit(step) if mode == "compiled" else step
    ends = []
    for i in range(STEPS):
        loss = step(mindspore.Tensor(x), mindspore.Tensor(y))
        ends.append(time.perf_counter_ns())
        if i % 10 == 9:
            loss.asnumpy()
    write(path, {"steps": STEPS, "ends_ns": ends, "reader_pct": 0})


def evaluate(gradient, optimizer, forward, path):
    data = dataset.GeneratorDataset(Samples(0), ["x", "y"], shuffle=False, num_parallel_workers=2,
                                    python_multiprocessing=True).batch(BATCH)
    own = mindspore.Tensor(np.ones((BATCH, 64), np.float32)), mindspore.Tensor(np.ones((BATCH, 1), np.float32))
    times, waits = [], []
    for _ in range(EPOCHS):
        last = time.perf_counter()
        for x, y in data.create_tuple_iterator(num_epochs=1):
            waits.append(time.perf_counter() - last)
            loss, gradients = gradient(x, y)
            optimizer(gradients)
            loss.asnumpy()
            now = time.perf_counter()
            times.append(now - last)
            last = now
        for _ in range(CHECKS):
            forward(*own).asnumpy()
    whole = sum(times[WARM:])
    write(path, {"steps": len(times), "step_ns": 1e9 * whole / (len(times) - WARM),
                 "reader_pct": 100 * sum(waits[WARM:]) / whole})


def sink(model, path):
    ends = []

    class Ends(mindspore.train.Callback):
        def on_train_step_end(self, _):
            ends.append(time.perf_counter_ns())

    data = dataset.GeneratorDataset(Samples(0.015), ["x", "y"], shuffle=False, num_parallel_workers=1).batch(BATCH)
    model.train(1, data, callbacks=[Ends()], dataset_sink_mode=True)
    write(path, {"steps": STEPS, "ends_ns": ends if len(ends) == STEPS else None, "step_ns": None})


def write(path, told):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(told, file)


if __name__ == "__main__":
    train(*sys.argv[1:])
    print("trained")
