# SPDX-License-Identifier: MIT
"""The tutorial's running loss: one number is read back in each step, then the host does its own work."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=560us
import torch
from stamps import Stamps
from torch import nn
from workload import compute


def update_metrics(history, value):
    """As moving averages of many lengths in plain Python take."""
    history.append(value)
    compute(3)


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs = torch.randn(64, 32).cuda()
    labels = inputs.sum(1, keepdim=True)
    running_loss, history = 0.0, []
    clock = Stamps()
    for i in range(60):
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()  # truth: here
        update_metrics(history, running_loss)
        clock.step()
    clock.end()
    print(f"loss {running_loss / 60:.3f}")


main()
