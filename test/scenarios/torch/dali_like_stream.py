# SPDX-License-Identifier: MIT
"""A pipeline thread augments batches on a stream of its own, two ahead, and waits there for them; training is slower than it: sound."""
# truth: class=gpu cause=device_compute steps=60 ahead=any
# truth: never=launch-bound|input-bound|host-blocked|sync-explicit|copy-not-overlapped|input-single-process|step-outlier|sync-scalar-read|host-python
# cudasim: CUDASIM_KERNELS=*=1ms
import queue
import random
import threading

import torch
from stamps import Stamps
from workload import network, train_step


class Pipeline(threading.Thread):
    def __init__(self, count, depth=2):
        super().__init__(daemon=True)
        self.count, self.stream, self.ready = count, torch.cuda.Stream(), queue.Queue(depth)

    def run(self):
        chance = random.Random(0)
        for _ in range(self.count):
            raw = torch.randint(0, 256, (16, 3, 32), dtype=torch.uint8).pin_memory()
            with torch.cuda.stream(self.stream):
                x = raw.cuda(non_blocking=True).float().mul_(1 / 255).sub_(0.45)
                if chance.random() < 0.5:
                    x = x.flip(2)
                done = torch.cuda.Event()
                done.record()
            done.synchronize()  # as share_outputs() does
            self.ready.put((x, done))
        self.ready.put(None)

    def __iter__(self):
        while (item := self.ready.get()) is not None:
            x, done = item
            torch.cuda.current_stream().wait_event(done)
            x.record_stream(torch.cuda.current_stream())
            yield x


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    pipeline = Pipeline(60)
    pipeline.start()
    clock = Stamps(pipeline)
    for step, batch in enumerate(pipeline):
        clock.spent("idle_input")
        x = batch.flatten(0, 1)
        loss = train_step(model, optimizer, x, x.sum(1, keepdim=True))
        if step % 10 == 9:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
