# SPDX-License-Identifier: MIT
"""Two batches of validation as a sanity check, then an epoch of twelve steps and validation: a quick try of a trainer."""
# truth: class=gpu cause=device_compute steps=12 phases=evaluation:1
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=2ms
import itertools

import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import network, train_step


@torch.no_grad()
def validate(model, loader, most=None):
    model.eval()
    total = [nn.functional.mse_loss(model(x.cuda()), y.cuda()) for x, y in itertools.islice(loader, most)]
    model.train()
    return torch.stack(total).mean().item()


def main():
    data = torch.randn(12 * 16, 32)
    train = DataLoader(TensorDataset(data, data.sum(1, keepdim=True)), batch_size=16)
    held_out = DataLoader(TensorDataset(data, data[:, :1]), batch_size=16)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    clock = Stamps()
    with clock.gap():
        validate(model, held_out, most=2)
    for x, y in train:
        train_step(model, optimizer, x.cuda(), y.cuda())
        clock.step()
    with clock.gap():
        validate(model, held_out)
    clock.end()


main()
