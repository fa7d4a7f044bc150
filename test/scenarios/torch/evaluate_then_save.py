# SPDX-License-Identifier: MIT
"""After each epoch a validation and at once a checkpoint: two phases, and neither is part of a step."""
# truth: class=gpu cause=device_compute steps=80 ahead=yes phases=evaluation:4|checkpoint:4
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=800us
import tempfile

import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import network, train_step


def batches(count):
    x = torch.randn(count * 16, 32)
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16)


@torch.no_grad()
def validate(model, loader):
    total = 0.0
    for x, y in loader:
        total += nn.functional.l1_loss(model(x.cuda()), y.cuda()).item()
    return total / len(loader)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    training, held_out = batches(20), batches(6)
    clock = Stamps()
    for epoch in range(4):
        for x, y in training:
            train_step(model, optimizer, x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True))
            clock.step()
        with clock.gap(), tempfile.TemporaryFile() as file:
            print(f"epoch {epoch}: {validate(model, held_out):.4f}")
            torch.save(model.state_dict(), file)
    clock.end()


main()
