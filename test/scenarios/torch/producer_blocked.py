# SPDX-License-Identifier: MIT
"""A loader thread that is faster than the device, and so blocked in queue.put() nearly always."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound|host-blocked
# cudasim: CUDASIM_KERNELS=*=800us
import queue
import threading

import torch
from stamps import Stamps
from workload import network, train_step


def produce(batches, count):
    for _ in range(count):
        batches.put(torch.randn(64, 32).pin_memory())
    batches.put(None)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = queue.Queue(maxsize=2)
    threading.Thread(target=produce, args=(batches, 60), daemon=True).start()
    clock = Stamps()
    for step, batch in enumerate(iter(batches.get, None)):
        clock.spent("idle_input")
        x = batch.to("cuda", non_blocking=True)
        loss = train_step(model, optimizer, x, x.sum(1, keepdim=True))
        if step % 10 == 9:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
