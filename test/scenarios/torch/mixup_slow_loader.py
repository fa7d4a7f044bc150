# SPDX-License-Identifier: MIT
"""One worker is slow to decode, and the boxes of CutMix are drawn in Python in the loop: both cost much."""
# truth: class=io|cpu cause=idle_input|idle_host steps=60
# truth: rule=input-bound|input-workers-saturated|input-decode|input-taking|host-python
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=150us
import random
import time

import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import Images, network, train_step


def draw_boxes(seconds):
    """Boxes that hide no object: drawn until time is up, the best is taken."""
    until, boxes = time.perf_counter() + seconds, set()
    while time.perf_counter() < until:  # truth: or here
        boxes.add((random.randrange(32), random.randrange(32)))  # truth: or here
    return sorted(max(boxes))  # truth: or here


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Images(60 * 8, 0.0027), batch_size=8, num_workers=1, pin_memory=True)
    clock = Stamps()
    for x in loader:  # truth: here
        clock.spent("idle_input")
        low, high = draw_boxes(0.008)  # truth: or here
        x[:, low:high] = x.flip(0)[:, low:high]
        clock.spent("idle_host")
        x = x.cuda(non_blocking=True)
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
