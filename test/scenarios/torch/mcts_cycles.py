"""Self-play: each move grows a tree whose nodes know their parents, and which is thrown away; collecting such cycles
takes long."""
# truth: class=cpu cause=idle_gc says=host-gc steps=60
# truth: never=input-bound|gpu-bound|step-outlier
# cudasim: CUDASIM_KERNELS=*=60us
import gc
import random

import torch
from torch import nn

from stamps import Stamps


class Position:
    def __init__(self, parent, move):
        self.parent, self.move, self.children, self.visits = parent, move, [], 0


class SelfPlay:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.book = [Position(None, i) for i in range(150000)]

    def search(self, positions):
        root = Position(None, None)
        nodes = [root]
        for i in range(positions):
            parent = nodes[i // 3]
            child = Position(parent, i)
            parent.children.append(child)
            nodes.append(child)
        return [len(child.children) for child in root.children]


game = SelfPlay(0)
gc.set_threshold(700, 5, 2)
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 3)).cuda()
optimizer = torch.optim.Adam(net.parameters())
clock = Stamps()
for move in range(60):
    visits = game.search(3000)
    policy = torch.tensor([v / sum(visits) for v in visits], device="cuda")
    loss = nn.functional.cross_entropy(net(torch.ones(1, 3, device="cuda")), policy[None])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    clock.step()
clock.end()
