# SPDX-License-Identifier: MIT
"""Training waits for a loader with one worker; evaluation between the epochs uses one without workers."""
# truth: class=io cause=idle_input rule=input-bound steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import Images, network, train_step


@torch.no_grad()
def evaluate(model, loader):
    return sum(model(x.cuda()).sum().item() for x in loader)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    train = DataLoader(Images(20 * 8, 0.0015), batch_size=8, num_workers=1, persistent_workers=True)
    held_out = DataLoader(Images(40, 0.001), batch_size=8)
    clock = Stamps()
    for _ in range(3):
        for x in train:  # truth: here
            clock.spent("idle_input")
            x = x.cuda(non_blocking=True)
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        with clock.gap():
            print(f"eval {evaluate(model, held_out):.3f}")
    clock.end()


main()
