# SPDX-License-Identifier: MIT
"""The default loader: samples are read in the training process, one after the other."""
# truth: class=io cause=idle_input rule=input-single-process|input-bound steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import Images, network, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Images(60 * 8, 0.0012), batch_size=8, shuffle=True)
    clock = Stamps()
    for step, x in enumerate(loader):  # truth: here
        clock.spent("idle_input")
        x = x.cuda(non_blocking=True)
        loss = train_step(model, optimizer, x, x.sum(1, keepdim=True))
        if step % 20 == 19:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
