# SPDX-License-Identifier: MIT
"""An event loop has each step run by whichever thread of a pool is free, then sends progress to slow clients and awaits that."""
# truth: class=cpu|io cause=idle_blocked|idle_host|idle_input rule=host-blocked|input-bound steps=60
# truth: never=launch-bound|sync-scalar-read|host-gil|host-python
# cudasim: CUDASIM_KERNELS=*=200us
import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from stamps import Stamps
from workload import network, regression, train_step


class Service:
    def __init__(self, pool):
        self.pool, self.model, self.sent = pool, network(), 0
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.x, self.y = regression()

    def step(self):
        return train_step(self.model, self.optimizer, self.x, self.y).detach()

    async def broadcast(self, step):
        self.sent += 1
        await asyncio.sleep(0.010)  # truth: or here
        return step

    async def train(self, clock):
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(self.pool, time.sleep, 0.02) for _ in range(4)))  # files are opened
        clock.mark()
        for step in range(60):
            await loop.run_in_executor(self.pool, self.step)  # truth: or here
            clock.mark()
            await self.broadcast(step)  # truth: or here
            clock.spent("idle_blocked")
            clock.step()


def main():
    with ThreadPoolExecutor(4) as pool:
        service = Service(pool)
        clock = Stamps()
        asyncio.run(service.train(clock))  # truth: or here
        clock.end()
        print(service.sent)


main()
