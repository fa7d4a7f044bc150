# SPDX-License-Identifier: MIT
"""Epochs of twenty steps, then validation, and a copy of the best weights in the host's memory: phases, not steps."""
# truth: class=gpu cause=device_compute steps=80 ahead=yes
# truth: never=launch-bound|input-bound|sync-tensor-to-host
# cudasim: CUDASIM_KERNELS=*=500us
import copy

import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import network, train_step


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.weights = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best:
            self.best, self.bad = value, 0
            self.weights = copy.deepcopy({name: tensor.cpu() for name, tensor in model.state_dict().items()})
        else:
            self.bad += 1
        return self.bad > self.patience


def evaluate(model, loader):
    model.eval()
    losses = []
    with torch.inference_mode():
        for x, y in loader:
            losses.append(nn.functional.mse_loss(model(x.cuda()), y.cuda()).item())
    model.train()
    return sum(losses) / len(losses)


def main():
    torch.manual_seed(1)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    x = torch.randn(20 * 32, 32)
    train = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32, shuffle=True, pin_memory=True)
    held_out = DataLoader(TensorDataset(x[:128], x[:128].sum(1, keepdim=True)), batch_size=16)
    stopping = EarlyStopping(patience=10)
    clock = Stamps()
    for _ in range(4):
        for features, target in train:
            train_step(model, optimizer, features.cuda(non_blocking=True), target.cuda(non_blocking=True))
            clock.step()
        with clock.gap():
            if stopping(evaluate(model, held_out), model):
                break
    clock.end()


main()
