# SPDX-License-Identifier: MIT
"""A graph network: a worker samples neighbours quickly, but the loader's own code in the training process then looks features
up row by row and renames the nodes. More workers would not help."""
# truth: class=io|cpu cause=idle_input|idle_host steps=60
# truth: rule=input-bound|input-taking|host-python|host-operator
# truth: never=launch-bound|input-workers-saturated|input-decode|input-storage|input-single-process
# cudasim: CUDASIM_KERNELS=*=150us
import random

import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader

NODES, CLASSES = 4000, 5


class NeighbourLoader:
    """Batches of seeds with the graph around them."""

    def __init__(self, features, neighbours, seeds, fanout, batch_size):
        self.features, self.neighbours, self.fanout = features, neighbours, fanout
        self.seeds = DataLoader(seeds, batch_size=batch_size, collate_fn=self.sample, num_workers=1)

    def sample(self, seeds):
        """In the worker: edges from nodes to those that asked for them."""
        sources, targets = [], []
        for seed in seeds:
            for first in self.neighbours[seed][:self.fanout]:
                sources.append(first)
                targets.append(seed)
        return torch.tensor(seeds), torch.tensor([sources, targets])

    def __iter__(self):
        for seeds, edges in self.seeds:
            yield self.complete(seeds, edges)

    def complete(self, seeds, edges):
        names = {}
        for node in seeds.tolist() + edges.flatten().tolist():
            names.setdefault(node, len(names))
        renamed = torch.tensor([[names[node] for node in row] for row in edges.tolist()])
        rows = [self.features[node].float() / 255 for node in names]  # truth: or here
        return torch.stack(rows), renamed, len(seeds)


class Convolution(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.own, self.other = nn.Linear(inside, outside), nn.Linear(inside, outside)

    def forward(self, x, edges):
        gathered = torch.zeros_like(x).index_add(0, edges[1], x.index_select(0, edges[0]))
        return self.own(x) + self.other(gathered)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Convolution(16, 16), Convolution(16, CLASSES)

    def forward(self, x, edges):
        return self.second(self.first(x, edges).relu(), edges)


def main():
    torch.manual_seed(0)
    rng = random.Random(0)
    features = torch.randint(0, 256, (NODES, 16), dtype=torch.uint8)
    labels = torch.randint(0, CLASSES, (NODES,)).cuda()
    neighbours = [rng.sample(range(NODES), 20) for _ in range(NODES)]
    loader = NeighbourLoader(features, neighbours, list(range(60 * 60)), 16, 60)
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    clock = Stamps()
    for step, (x, edges, count) in enumerate(loader):  # truth: or here
        clock.spent("idle_input|idle_host")
        x, edges = x.cuda(), edges.cuda()
        out = model(x, edges)[:count]
        loss = nn.functional.cross_entropy(out, labels[step * count:(step + 1) * count])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 19:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
