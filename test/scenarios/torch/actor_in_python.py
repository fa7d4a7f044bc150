# SPDX-License-Identifier: MIT
"""Reinforcement learning on policy: sixteen steps of an environment in plain Python, then one of the optimiser."""
# truth: class=cpu cause=idle_host|idle_sync rule=host-python steps=40
# truth: never=launch-bound|input-bound|input-storage
# cudasim: CUDASIM_KERNELS=*=20us
import math

import torch
from stamps import Stamps
from torch import nn
from workload import network


class Pendulum:
    def __init__(self):
        self.angle, self.speed = 0.1, 0.0

    def observe(self):
        return [math.sin(self.angle + 0.1 * i) * self.speed + math.cos(self.angle) for i in range(32)]

    def step(self, action):
        for _ in range(12000):  # truth: or here
            self.speed += 0.0001 * (math.sin(self.angle) + action - 0.5)  # truth: or here
            self.angle += 0.0001 * self.speed  # truth: or here
        return self.observe(), -self.angle ** 2


def main():
    policy = network(outputs=2)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    environment = Pendulum()
    observation = environment.observe()
    clock = Stamps()
    for _ in range(40):
        rows, actions, rewards = [], [], []
        for _ in range(16):
            with torch.no_grad():
                logits = policy(torch.tensor([observation], device="cuda"))
                action = torch.distributions.Categorical(logits=logits, validate_args=False).sample().item()
            rows.append(observation)
            clock.mark()
            observation, reward = environment.step(action)  # truth: or here
            clock.spent("idle_host")
            actions.append(action)
            rewards.append(reward)
        returns = torch.tensor(rewards, device="cuda").flip(0).cumsum(0).flip(0)
        chosen = policy(torch.tensor(rows, device="cuda")).log_softmax(1)[range(16), actions]
        loss = -(chosen * (returns - returns.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        optimizer.step()
        clock.step()
    clock.end()


main()
