# SPDX-License-Identifier: MIT
"""Each image is augmented on the device by itself: hundreds of launches of next to nothing before each step."""
# truth: class=cpu cause=idle_launch rule=launch-bound steps=50
# truth: never=input-bound|input-storage|gpu-bound|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=2us
import random

import torch
from stamps import Stamps
from workload import network, train_step

IMAGES = 24


def augment(image, chance):
    if chance.random() < 0.5:
        image = image.flip(1)  # truth: or here
    image = image * chance.uniform(0.8, 1.2) + chance.uniform(-0.1, 0.1)  # truth: or here
    image = image.roll(chance.randrange(8), 1)  # truth: or here
    noise = torch.randn_like(image) * 0.05  # truth: or here
    return (image + noise).clamp(0, 1)  # truth: or here


def main():
    chance = random.Random(0)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images = torch.rand(IMAGES, 4, 8).cuda()
    clock = Stamps()
    for _ in range(50):
        x = torch.stack([augment(image, chance) for image in images]).flatten(1)  # truth: or here
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
