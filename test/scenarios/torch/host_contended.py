# SPDX-License-Identifier: MIT
"""Other jobs of the machine want every processor, and the loop that launches gets its turn late."""
# truth: class=cpu cause=idle_launch|idle_host|idle_sync says=host-contended steps=60
# truth: never=input-bound|alloc-churn
# cudasim: CUDASIM_KERNELS=*=20us
import os
import signal

import torch
from stamps import Stamps
from workload import compute, network, regression, train_step

JOBS = 2 * len(os.sched_getaffinity(0))


def other_job():
    child = os.fork()
    if child == 0:
        compute(20_000)
        os._exit(0)
    return child


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    jobs = [other_job() for _ in range(JOBS)]
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        compute(10)
        torch.cuda.synchronize()
        clock.step()
    clock.end()
    for job in jobs:
        os.kill(job, signal.SIGKILL)
        os.waitpid(job, 0)


main()
