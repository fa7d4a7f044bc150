# SPDX-License-Identifier: MIT
"""Some batches of validation are run before training begins, as trainers do, and all of it again afterwards."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=2ms
import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import network, train_step


@torch.no_grad()
def validate(model, loader):
    return sum(nn.functional.mse_loss(model(x.cuda()), y.cuda()).item() for x, y in loader)


def main():
    data = torch.randn(60 * 16, 32)
    train = DataLoader(TensorDataset(data, data.sum(1, keepdim=True)), batch_size=16, shuffle=True)
    held_out = DataLoader(TensorDataset(data[:64], data[:64, :1]), batch_size=16)
    model = network()
    print(f"before: {validate(model, held_out):.3f}")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    clock = Stamps()
    for x, y in train:
        clock.spent("idle_input")
        train_step(model, optimizer, x.cuda(), y.cuda())
        clock.step()
    clock.end()
    print(f"after: {validate(model, held_out):.3f}")


main()
