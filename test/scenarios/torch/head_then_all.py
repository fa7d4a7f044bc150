# SPDX-License-Identifier: MIT
"""Fine-tuning in two stages: first the head with an optimiser of its own, then all of it with another."""
# truth: class=gpu cause=device_compute steps=80
# truth: never=launch-bound|input-bound|step-outlier
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from torch import nn
from workload import regression, train_step


def main():
    torch.manual_seed(0)
    body = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
    model = nn.Sequential(body, nn.Linear(64, 1)).cuda()
    x, y = regression()
    losses = []
    clock = Stamps()
    for parameter in body.parameters():
        parameter.requires_grad_(False)
    optimizer = torch.optim.Adam(model[1].parameters(), lr=1e-2)
    for step in range(30):
        losses.append(train_step(model, optimizer, x, y).detach())
        if step % 5 == 4:
            torch.cuda.synchronize()
        clock.step()
    for parameter in body.parameters():
        parameter.requires_grad_(True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for step in range(50):
        losses.append(train_step(model, optimizer, x, y).detach())
        if step % 5 == 4:
            torch.cuda.synchronize()
        clock.step()
    clock.end()
    print(torch.stack(losses).mean().item())


main()
