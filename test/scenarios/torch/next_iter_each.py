# SPDX-License-Identifier: MIT
"""next(iter(loader)) in each step: a new iterator each time, for the sake of one batch."""
# truth: class=io cause=idle_input rule=input-bound|input-single-process steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import Images, network, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Images(50000, 0.0004), batch_size=16, shuffle=True)
    clock = Stamps()
    for _ in range(60):
        clock.mark()
        batches = iter(loader)
        clock.spent("idle_host")
        x = next(batches)  # truth: here
        clock.spent("idle_input")
        x = x.cuda()
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
