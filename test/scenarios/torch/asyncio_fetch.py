# SPDX-License-Identifier: MIT
"""Batches are fetched by coroutines and put into a queue; training is a coroutine too, and awaits them."""
# truth: class=io|cpu cause=idle_input|idle_host|idle_blocked rule=input-bound|host-blocked steps=60
# truth: never=launch-bound|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=150us
import asyncio

import torch
from stamps import Stamps
from workload import network, train_step


async def fetch(batches):
    for _ in range(60):
        await asyncio.sleep(0.012)  # a storage service answers
        await batches.put(torch.randn(64, 32))
    await batches.put(None)


async def train(batches):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    clock = Stamps()
    while True:
        clock.mark()
        x = await batches.get()  # truth: or here
        clock.spent("idle_input")
        if x is None:
            break
        x = x.cuda(non_blocking=True)
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


async def main():
    batches = asyncio.Queue(2)
    await asyncio.gather(fetch(batches), train(batches))


asyncio.run(main())  # truth: or here
