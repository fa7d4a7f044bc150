# SPDX-License-Identifier: MIT
"""A policy plays between trainings: it is asked for each move, and the game waits for its answer; then it is trained
for eight steps. Playing is none of them, however many moves it has."""
# truth: class=cpu cause=idle_host steps=64 phases=evaluation:7
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=20us
import torch
from stamps import Stamps
from torch import nn
from workload import compute, regression


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, state):
        return self.layers(state)


@torch.no_grad()
def play(policy, moves):
    state, seen = torch.randn(16, 32), []
    for _ in range(moves):
        moved = policy(state.cuda())
        state = state + moved.mean().cpu()
        seen.append(moved)
    return seen


def main():
    torch.manual_seed(0)
    policy = Policy().cuda()
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
    x, y = regression()
    seen = play(policy, 30)
    clock = Stamps()
    for step in range(1, 65):
        loss = nn.functional.mse_loss(policy(x), y)
        compute(10)  # what the game was worth
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.step()
        if step % 8 == 0 and step < 64:
            with clock.gap():
                seen = play(policy, 30)
    clock.end()
    print(len(seen))


main()
