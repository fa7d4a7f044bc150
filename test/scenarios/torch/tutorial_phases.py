# SPDX-License-Identifier: MIT
"""The transfer-learning tutorial: one loop for both phases, which differ in set_grad_enabled(), and the loss is read."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read steps=80 phases=evaluation:4
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import compute, network


def batches(count):
    x = torch.randn(count * 16, 32)
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16)


def run(phase, loader, model, optimizer, clock):
    running = 0.0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        with torch.set_grad_enabled(phase == "train"):
            loss = nn.functional.mse_loss(model(x), y)
            if phase == "train":
                loss.backward()
                optimizer.step()
        running += loss.item() * x.size(0)  # truth: here
        compute(5)  # a progress bar is drawn
        if phase == "train":
            clock.step()
    return running


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loaders = {"train": batches(20), "val": batches(6)}
    clock = Stamps()
    for _ in range(4):
        model.train()
        run("train", loaders["train"], model, optimizer, clock)
        model.eval()
        with clock.gap():
            run("val", loaders["val"], model, optimizer, clock)
    clock.end()


main()
