# SPDX-License-Identifier: MIT
"""A loader without workers whose collate function does a lot of arithmetic with CPU operators."""
# truth: class=io cause=idle_input rule=input-bound|input-single-process steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import network, train_step


def augment(samples):
    batch = torch.stack(samples)
    for _ in range(8):
        batch = torch.fft.ifft(torch.fft.fft(batch)).real + 0.01 * torch.randn_like(batch)
    return batch[:, :32]


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    samples = [torch.randn(4096) for _ in range(16)]
    loader = DataLoader([samples[i % 16] for i in range(60 * 16)], batch_size=16, collate_fn=augment)
    clock = Stamps()
    for x in loader:  # truth: here
        clock.spent("idle_input")
        x = x.cuda(non_blocking=True)
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
