# SPDX-License-Identifier: MIT
"""DataParallel: the model is copied to two GPUs in each step, and threads that are joined run its replicas."""
# truth: class=cpu cause=idle_launch|idle_host|idle_blocked rule=launch-bound|host-python|host-blocked says=comm-data-parallel steps=50
# truth: never=input-bound|input-storage
# cudasim: CUDASIM_KERNELS=*=20us CUDASIM_DEVICES=2
import torch
from stamps import Stamps
from torch import nn
from workload import regression


def main():
    torch.manual_seed(0)
    model = nn.DataParallel(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for _ in range(50):
        loss = nn.functional.mse_loss(model(x), y)  # truth: or here
        optimizer.zero_grad()
        loss.backward()  # truth: or here
        optimizer.step()
        clock.step()
    clock.end()


main()
