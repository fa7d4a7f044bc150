# SPDX-License-Identifier: MIT
"""A parameter server in one process: three threads read, compute gradients and queue them; the main thread applies them."""
# truth: class=io|cpu cause=idle_input|idle_blocked rule=input-bound|host-blocked|host-queue steps=60
# truth: never=launch-bound|host-gil|sync-scalar-read|sync-tensor-to-host
# cudasim: CUDASIM_KERNELS=*=120us
import queue
import threading
import time

import torch
from stamps import Stamps
from torch import nn
from workload import network

WORKERS, EACH = 3, 20


class Worker(threading.Thread):
    def __init__(self, server, number):
        super().__init__()
        self.server, self.replica, self.number = server, network(), number

    def read(self, index):
        time.sleep(0.028)  # truth: or here
        return torch.full((64, 32), index / EACH + self.number)

    def run(self):
        for index in range(EACH):
            x = self.read(index).cuda(non_blocking=True)
            self.server.pull(self.replica)
            self.replica.zero_grad()
            nn.functional.mse_loss(self.replica(x), x.sum(1, keepdim=True)).backward()
            self.server.gradients.put([p.grad for p in self.replica.parameters()])


class Server:
    def __init__(self):
        self.model, self.gradients = network(), queue.Queue()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.001)

    @torch.no_grad()
    def pull(self, replica):
        torch._foreach_copy_(list(replica.parameters()), list(self.model.parameters()))

    def push(self, gradients):
        for p, g in zip(self.model.parameters(), gradients):
            p.grad = g
        self.optimizer.step()


def main():
    server = Server()
    workers = [Worker(server, number) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    clock = Stamps(*workers)
    for _ in range(WORKERS * EACH):
        clock.mark()
        gradients = server.gradients.get()  # truth: or here
        clock.spent("idle_input")
        server.push(gradients)
        clock.step()
    clock.end()
    for worker in workers:
        worker.join()


main()
