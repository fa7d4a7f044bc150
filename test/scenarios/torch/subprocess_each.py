# SPDX-License-Identifier: MIT
"""An external scoring tool is run in each step, and waited for."""
# truth: class=cpu cause=idle_host|idle_blocked rule=host-blocked steps=50
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=150us
import subprocess

import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(50):
        train_step(model, optimizer, x, y)
        clock.mark()
        subprocess.run(["sleep", "0.006"], check=True, env={"PATH": "/usr/bin:/bin"})  # truth: here
        clock.spent("idle_host")
        clock.step()
    clock.end()


main()
