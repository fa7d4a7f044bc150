# SPDX-License-Identifier: MIT
"""A model lies on two devices, of which one waits while the other computes; the host is far ahead."""
# truth: class=gpu cause=device_compute steps=60 ahead=yes
# truth: never=launch-bound|input-bound|host-python
# cudasim: CUDASIM_KERNELS=*=600us CUDASIM_DEVICES=2
import torch
from stamps import Stamps
from torch import nn


class Split(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()).to("cuda:0")
        self.second = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)).to("cuda:1")

    def forward(self, x):
        return self.second(self.first(x).to("cuda:1"))


def main():
    torch.manual_seed(0)
    model = Split()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(64, 32, device="cuda:0")
    y = x.sum(1, keepdim=True).to("cuda:1")
    clock = Stamps()
    for _ in range(60):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.step()
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    clock.end()


if __name__ == "__main__":
    main()
