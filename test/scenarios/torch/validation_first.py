# SPDX-License-Identifier: MIT
"""A whole validation before training, of more batches than the training has: to know where one starts from."""
# truth: class=gpu cause=device_compute steps=40
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=2ms
import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import network, train_step


@torch.no_grad()
def validate(model, loader):
    model.eval()
    total = sum(nn.functional.mse_loss(model(x.cuda()), y.cuda()).item() for x, y in loader)
    model.train()
    return total


def main():
    data = torch.randn(90 * 16, 32)
    train = DataLoader(TensorDataset(data[: 40 * 16], data[: 40 * 16].sum(1, keepdim=True)), batch_size=16)
    held_out = DataLoader(TensorDataset(data, data[:, :1]), batch_size=16)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    print(f"before: {validate(model, held_out):.3f}")
    clock = Stamps()
    for x, y in train:
        clock.spent("idle_input")
        train_step(model, optimizer, x.cuda(), y.cuda())
        clock.step()
    clock.end()


main()
