# SPDX-License-Identifier: MIT
"""Four clients train in turn, five steps and an optimiser each; then their weights are averaged in Python, on the CPU."""
# truth: class=cpu|mixed cause=idle_host rule=step-outlier|host-python steps=120 tail=step
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=90us
import copy

import torch
from stamps import Stamps
from torch import nn


def make():
    return nn.Sequential(nn.Linear(20, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 2)).cuda()


class Client:
    def __init__(self, seed):
        generator = torch.Generator().manual_seed(seed)
        self.x = torch.randn(32, 20, generator=generator).cuda()
        self.y = torch.randint(0, 2, (32,), generator=generator).cuda()

    def fit(self, state, clock):
        model = make()
        model.load_state_dict(state)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for _ in range(5):
            loss = nn.functional.cross_entropy(model(self.x), self.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            clock.step()
        return {key: value.cpu() for key, value in model.state_dict().items()}


def average(states):
    out = copy.deepcopy(states[0])
    for key in out:
        flat = [state[key].flatten().tolist() for state in states]  # truth: or here
        mean = [sum(values) / len(values) for values in zip(*flat)]  # truth: or here
        out[key] = torch.tensor(mean).view_as(out[key])
    return out


def main():
    server = make()
    clients = [Client(seed) for seed in range(4)]
    state = server.state_dict()
    clock = Stamps()
    for _ in range(6):
        updates = [client.fit(state, clock) for client in clients]
        state = average(updates)
        server.load_state_dict(state)
    clock.end()


main()
