# SPDX-License-Identifier: MIT
"""Activations are not kept but computed again in the backward pass, block by block: more kernels, and a busy device."""
# truth: class=gpu cause=device_compute steps=50
# truth: never=launch-bound|input-bound|host-python
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from torch import nn
from torch.utils.checkpoint import checkpoint
from workload import regression


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(32, 32), nn.ReLU()) for _ in range(3))
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


def main():
    torch.manual_seed(0)
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for step in range(50):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 4:
            torch.cuda.synchronize()
        clock.step()
    clock.end()


main()
