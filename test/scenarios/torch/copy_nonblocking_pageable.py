# SPDX-License-Identifier: MIT
"""non_blocking=True on memory that is not pinned: the host is held all the same."""
# truth: class=gpu|cpu|mixed cause=device_copy|idle_sync steps=50
# truth: rule=copy-pageable-async|copy-not-overlapped never=launch-bound|input-bound
# cudasim: CUDASIM_COPY=pageable=0.3GB/s CUDASIM_KERNELS=*=200us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import network, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    images = torch.randn(8, 32 * 2048)
    loader = DataLoader([images] * 50, batch_size=None, num_workers=0)
    clock = Stamps()
    for batch in loader:
        clock.spent("idle_input")
        batch = batch.to("cuda", non_blocking=True)  # truth: here
        x = batch[:, ::2048].contiguous()
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
