# SPDX-License-Identifier: MIT
"""Predictions are handed to NumPy for a confusion matrix in each step of training."""
# truth: class=cpu cause=idle_host|idle_sync rule=host-python|host-native|sync-tensor-to-host steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=150us
import numpy as np
import torch
from stamps import Stamps
from torch import nn
from workload import network


def confusion(predicted, wanted, classes=4):
    matrix = np.zeros((classes, classes), dtype=int)
    for guess, truth in zip(predicted, wanted):
        matrix[truth, guess] += 1  # truth: or here
    return matrix


def main():
    model = network(outputs=4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(64, 32).cuda()
    wanted = np.random.default_rng(0).integers(0, 4, 12_000)
    y = torch.from_numpy(wanted[:64]).cuda()
    total = np.zeros((4, 4), dtype=int)
    clock = Stamps()
    for _ in range(60):
        outputs = model(x)
        loss = nn.functional.cross_entropy(outputs, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        predicted = outputs.argmax(1).cpu().numpy()  # truth: or here
        total += confusion(np.resize(predicted, len(wanted)), wanted)  # truth: or here
        clock.step()
    clock.end()


main()
