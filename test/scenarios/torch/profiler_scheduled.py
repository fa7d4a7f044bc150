# SPDX-License-Identifier: MIT
"""torch.profiler was left in with a schedule: a few steps are profiled, and all of them end with its step()."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=800us
import torch
from stamps import Stamps
from torch.profiler import ProfilerActivity, profile, schedule
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=2, warmup=1, active=2, repeat=1)) as profiler:
        for step in range(60):
            train_step(model, optimizer, x, y)
            if step % 4 == 3:
                torch.cuda.synchronize()
            profiler.step()
            clock.step()
    clock.end()


main()
