# SPDX-License-Identifier: MIT
"""Whole batches of the data set are copied out of ordinary memory, in the loop and awaited."""
# truth: class=gpu|cpu|mixed cause=device_copy rule=copy-sync-large|copy-pageable-async|copy-not-overlapped steps=50
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_COPY=pageable=0.2GB/s CUDASIM_KERNELS=*=20us
import torch
from stamps import Stamps
from workload import network, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    images = torch.randn(200, 32 * 2048)
    clock = Stamps()
    for step in range(50):
        batch = images[step % 25 * 8:step % 25 * 8 + 8].to("cuda")  # truth: here
        x = batch[:, ::2048].contiguous()
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
