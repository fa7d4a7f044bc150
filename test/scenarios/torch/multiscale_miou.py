# SPDX-License-Identifier: MIT
"""Segmentation at one to four scales, drawn per batch; the confusion matrix stays on the device and is read every 15 steps: sound."""
# truth: class=gpu cause=device_compute steps=60 ahead=any
# truth: never=launch-bound|input-bound|step-outlier|sync-tensor-to-host|sync-scalar-read|sync-shape-dependent|host-python
# cudasim: CUDASIM_KERNELS=*=400us
import random

import torch
from stamps import Stamps
from torch import nn

CLASSES = 6


def mean_iou(confusion):
    matrix = confusion.view(CLASSES, CLASSES).cpu().numpy()
    both = matrix.diagonal()
    either = matrix.sum(0) + matrix.sum(1) - both
    return float((both / either.clip(1)).mean())


def main():
    torch.manual_seed(0)
    chance = random.Random(1)
    model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, CLASSES, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = torch.rand(2, 3, 16, 16).cuda()
    masks = torch.randint(0, CLASSES, (2, 16, 16)).cuda()
    confusion = torch.zeros(CLASSES * CLASSES, dtype=torch.long, device="cuda")
    clock = Stamps()
    for step in range(1, 61):
        optimizer.zero_grad(set_to_none=True)
        for scale in range(1, chance.randint(1, 4) + 1):
            x, y = images[..., ::scale, ::scale].contiguous(), masks[:, ::scale, ::scale].reshape(-1)
            logits = model(x).permute(0, 2, 3, 1).reshape(-1, CLASSES)
            loss = nn.functional.cross_entropy(logits, y)
            loss.backward()
            with torch.no_grad():
                index = y * CLASSES + logits.argmax(1)
                confusion.index_add_(0, index, torch.ones_like(index))
        optimizer.step()
        if step % 15 == 0:
            print(f"step {step}: mIoU {mean_iou(confusion):.3f}")
            confusion.zero_()
        clock.step()
    clock.end()


main()
