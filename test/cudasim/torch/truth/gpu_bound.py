# SPDX-License-Identifier: MIT
"""Long kernels and nothing in their way: the device is always busy."""
# truth: class=gpu cause=device_compute
# cudasim: CUDASIM_KERNELS=*=400us
import torch
from torch import nn

STEPS = 240


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(64, 32).cuda()
    y = x.sum(1, keepdim=True)
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}")


main()
