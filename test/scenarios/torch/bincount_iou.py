# SPDX-License-Identifier: MIT
"""The confusion matrix of segmentation is brought up to date by bincount() in each step, which asks the device for the largest value."""
# truth: class=cpu cause=idle_sync rule=sync-shape-dependent|sync-scalar-read|sync-tensor-to-host steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=700us
import torch
from stamps import Stamps
from torch import nn
from workload import compute, network

CLASSES = 5


class Confusion:
    def __init__(self):
        self.matrix = torch.zeros(CLASSES, CLASSES, dtype=torch.long, device="cuda")

    @torch.no_grad()
    def update(self, logits, wanted):
        index = wanted * CLASSES + logits.argmax(1)
        counts = torch.bincount(index, minlength=CLASSES ** 2)  # truth: here
        self.matrix += counts[:CLASSES ** 2].view(CLASSES, CLASSES)


def main():
    model = network(outputs=CLASSES)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    pixels, wanted = torch.randn(128, 32).cuda(), torch.randint(0, CLASSES, (128,)).cuda()
    metric = Confusion()
    clock = Stamps()
    for _ in range(60):
        logits = model(pixels)
        loss = nn.functional.cross_entropy(logits, wanted)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        metric.update(logits, wanted)
        compute(9)  # crops of the next images are chosen, rare classes first
        clock.step()
    clock.end()


main()
