# SPDX-License-Identifier: MIT
"""Semi-supervised: a quick loader of labelled and a slow one of unlabelled samples, drawn together by zip()."""
# truth: class=io cause=idle_input rule=input-bound|input-single-process steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader
from workload import Images, network


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    labelled = DataLoader(Images(60 * 4, 0.0001), batch_size=4)
    unlabelled = DataLoader(Images(60 * 16, 0.0006), batch_size=16)
    clock = Stamps()
    for few, many in zip(labelled, unlabelled):  # truth: here
        clock.spent("idle_input")
        few, many = few.cuda(), many.cuda()
        loss = nn.functional.mse_loss(model(few), few.sum(1, keepdim=True)) + model(many).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.step()
    clock.end()


main()
