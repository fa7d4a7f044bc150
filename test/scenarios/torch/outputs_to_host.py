# SPDX-License-Identifier: MIT
"""Feature maps are brought to the host in each step, to be kept in a list."""
# truth: class=cpu|gpu|mixed cause=device_copy|idle_sync|idle_host rule=sync-tensor-to-host|copy-not-overlapped steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_COPY=d2h=0.3GB/s;pageable=0.3GB/s CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    x, y = regression()
    maps = torch.zeros(8, 128, 256, device="cuda")
    kept = []
    clock = Stamps()
    for _ in range(60):
        train_step(model, optimizer, x, y)
        kept = [*kept[-3:], maps.mul(2).cpu()]  # truth: here
        compute(3)  # they are filed
        clock.step()
    clock.end()


main()
