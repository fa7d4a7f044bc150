# SPDX-License-Identifier: MIT
"""A thread decodes batches and copies them to the device on a stream of its own, fast enough."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=800us
import queue
import threading
import time

import torch
from stamps import Stamps
from workload import network, train_step


class BackgroundLoader(threading.Thread):
    def __init__(self, count):
        super().__init__(daemon=True)
        self.batches, self.count, self.stream = queue.Queue(maxsize=4), count, torch.cuda.Stream()
        self.start()

    def run(self):
        for _ in range(self.count):
            time.sleep(0.002)  # decoding
            x = torch.randn(64, 32).pin_memory()
            with torch.cuda.stream(self.stream):
                x = x.cuda(non_blocking=True)
                self.batches.put((x, self.stream.record_event()))
        self.batches.put(None)

    def __iter__(self):
        while (item := self.batches.get()) is not None:
            x, ready = item
            torch.cuda.current_stream().wait_event(ready)
            yield x


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = BackgroundLoader(60)
    clock = Stamps()
    for step, x in enumerate(loader):
        clock.spent("idle_input")
        loss = train_step(model, optimizer, x, x.sum(1, keepdim=True))
        if step % 20 == 19:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
