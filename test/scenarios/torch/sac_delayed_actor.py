# SPDX-License-Identifier: MIT
"""Soft actor-critic: an environment in Python asked for one move a step, a replay memory in NumPy, two critics, an actor and a
temperature that learn in every second step, and target networks moved weight by weight. Small kernels throughout."""
# truth: class=cpu cause=idle_launch|idle_host|idle_sync steps=80
# truth: rule=launch-bound|host-python|sync-tensor-to-host|sync-scalar-read
# truth: never=input-bound|gpu-bound|step-outlier
# cudasim: CUDASIM_KERNELS=*=4us
import copy
import itertools

import numpy as np
import torch
from stamps import Stamps
from torch import nn
from workload import compute

SEEN, MOVES, ROWS = 8, 2, 32


class Pendulum:
    def __init__(self, seed):
        self.rng, self.state = np.random.default_rng(seed), np.zeros(SEEN, np.float32)

    def step(self, action):
        compute(1)  # truth: or here
        self.state = np.tanh(self.state + self.rng.normal(0, 0.1, SEEN) + action.mean()).astype(np.float32)
        return self.state, float(-(self.state ** 2).sum())


class Memory:
    def __init__(self, size=2000):
        self.now, self.after = (np.zeros((size, SEEN), np.float32) for _ in range(2))
        self.action, self.reward = np.zeros((size, MOVES), np.float32), np.zeros((size, 1), np.float32)
        self.count, self.rng = 0, np.random.default_rng(0)

    def add(self, now, action, reward, after):
        self.now[self.count], self.action[self.count] = now, action
        self.reward[self.count], self.after[self.count] = reward, after
        self.count += 1

    def sample(self):
        at = self.rng.integers(0, self.count, ROWS)
        return [torch.from_numpy(part[at]).cuda() for part in (self.now, self.action, self.reward, self.after)]


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.mean, self.spread = nn.Linear(SEEN, 32), nn.Linear(32, MOVES), nn.Linear(32, MOVES)

    def forward(self, state):
        hidden = self.body(state).relu()
        mean, log_std = self.mean(hidden), self.spread(hidden).clamp(-5, 2)
        noise = torch.randn_like(mean)
        action = torch.tanh(mean + log_std.exp() * noise)
        log_pi = (-0.5 * noise.pow(2) - log_std - torch.log(1 - action.pow(2) + 1e-6)).sum(1, keepdim=True)
        return action, log_pi


def critic():
    return nn.Sequential(nn.Linear(SEEN + MOVES, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()


@torch.no_grad()
def soft_update(target, source, tau=0.005):
    for kept, now in zip(target.parameters(), source.parameters()):
        kept.mul_(1 - tau).add_(now, alpha=tau)  # truth: or here


def main():
    torch.manual_seed(0)
    world, memory, actor = Pendulum(0), Memory(), Actor().cuda()
    first, second = critic(), critic()
    first_target, second_target = copy.deepcopy(first), copy.deepcopy(second)
    log_alpha = torch.zeros(1, requires_grad=True, device="cuda")
    critics_optimizer = torch.optim.Adam(itertools.chain(first.parameters(), second.parameters()), lr=1e-3)
    actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
    alpha_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)
    state = world.state
    clock = Stamps()
    for step in range(80):
        with torch.no_grad():
            action, _ = actor(torch.from_numpy(state).cuda().unsqueeze(0))
        action = action[0].cpu().numpy()  # truth: or here
        after, reward = world.step(action)
        memory.add(state, action, reward, after)
        state = after

        now, taken, gained, then = memory.sample()
        with torch.no_grad():
            following, log_pi = actor(then)
            pair = torch.cat([then, following], 1)
            least = torch.min(first_target(pair), second_target(pair)) - log_alpha.exp() * log_pi
            wanted = gained + 0.99 * least
        pair = torch.cat([now, taken], 1)
        loss = nn.functional.mse_loss(first(pair), wanted) + nn.functional.mse_loss(second(pair), wanted)  # truth: or here
        critics_optimizer.zero_grad()
        loss.backward()  # truth: or here
        critics_optimizer.step()

        if step % 2 == 1:
            proposed, log_pi = actor(now)
            pair = torch.cat([now, proposed], 1)
            value = torch.min(first(pair), second(pair))
            actor_loss = (log_alpha.exp().detach() * log_pi - value).mean()
            actor_optimizer.zero_grad()
            actor_loss.backward()  # truth: or here
            actor_optimizer.step()
            alpha_loss = -(log_alpha * (log_pi.detach() - MOVES)).mean()
            alpha_optimizer.zero_grad()
            alpha_loss.backward()  # truth: or here
            alpha_optimizer.step()
        soft_update(first_target, first)
        soft_update(second_target, second)
        clock.step()
    clock.end()


main()
