# SPDX-License-Identifier: MIT
"""Q-learning: four moves in a game written in Python, each asked of the network, then a batch from the replay memory."""
# truth: class=cpu cause=idle_host|idle_launch|idle_sync rule=sync-scalar-read|host-python steps=60
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=20us
import collections
import random

import torch
from stamps import Stamps
from torch import nn
from workload import compute, network


class Game:
    def __init__(self):
        self.state = [0.0] * 32

    def move(self, action):
        compute(1.5)  # truth: or here
        self.state = self.state[1:] + [float(action)]
        return self.state, float(action > 0)


def main():
    random.seed(0)
    game, memory = Game(), collections.deque(maxlen=1000)
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    clock = Stamps()
    for _ in range(60):
        for _ in range(4):
            state = game.state
            with torch.no_grad():
                action = model(torch.tensor(state).cuda()).item()  # truth: or here
            memory.append((state, *game.move(action)))
        batch = random.choices(memory, k=16)
        x = torch.tensor([sample[0] for sample in batch]).cuda()
        y = torch.tensor([[sample[2]] for sample in batch]).cuda()
        loss = nn.functional.smooth_l1_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.step()
    clock.end()


main()
