# SPDX-License-Identifier: MIT
"""Trains with MindSpore on the processor, operator by operator or as a graph: train_mindspore.py loads|computes|graph FILE

FILE gets what the program's own stop-watch says behind the first ten steps, as JSON."""
import json
import sys
import time

import mindspore
import numpy as np
from mindspore import dataset, nn

STEPS, WARM, BATCH = 60, 10, 8


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

    gradient = mindspore.value_and_grad(forward, None, optimizer.parameters)
    data = dataset.GeneratorDataset(Samples(0 if mode == "computes" else 0.015), ["x", "y"], shuffle=False,
                                    num_parallel_workers=1).batch(BATCH)
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
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"steps": counted, "step_ns": 1e9 * whole / (counted - WARM), "reader_pct": 100 * waited / whole}, file)


if __name__ == "__main__":
    train(*sys.argv[1:])
    print("trained")
