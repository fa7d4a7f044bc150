# SPDX-License-Identifier: MIT
"""A parameter server in another process: gradients go to it through a pipe, weights come back, and it is slow."""
# truth: class=cpu|io cause=idle_blocked|idle_input rule=host-blocked|input-bound steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=50us
import multiprocessing
import time

import numpy
import torch
from stamps import Stamps
from torch import nn
from workload import network, regression


def serve(pipe, weights):
    while (gradients := pipe.recv()) is not None:
        time.sleep(0.015)  # other workers' gradients
        weights = [w - 0.01 * g for w, g in zip(weights, gradients)]
        pipe.send(weights)


class Worker:
    def __init__(self, model, pipe):
        self.parameters, self.pipe = list(model.parameters()), pipe

    def push(self):
        self.pipe.send([p.grad.cpu().numpy() for p in self.parameters])

    def pull(self):
        weights = self.pipe.recv()  # truth: here
        with torch.no_grad():
            for p, w in zip(self.parameters, weights):
                p.copy_(torch.from_numpy(w))


def main():
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    shapes = [(64, 32), (64,), (1, 64), (1,)]
    start = [numpy.random.default_rng(0).normal(size=s).astype("float32") * 0.1 for s in shapes]
    server = context.Process(target=serve, args=(theirs, start))
    server.start()
    model = network()
    worker = Worker(model, ours)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        model.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        worker.push()
        clock.mark()
        worker.pull()
        clock.spent("idle_blocked")
        clock.step()
    clock.end()
    ours.send(None)
    server.join()


if __name__ == "__main__":
    main()
