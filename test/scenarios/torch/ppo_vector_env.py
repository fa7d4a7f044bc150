"""PPO: 16 environments are stepped one by one in Python between short looks at the policy; then four updates."""
# truth: class=cpu cause=idle_host|idle_launch rule=phase-long steps=60 phases=evaluation:14
# truth: never=input-bound|gpu-bound
# cudasim: CUDASIM_KERNELS=*=20us
import math
import random

import torch
from torch import nn
from torch.distributions import Categorical

from stamps import Stamps


class Cart:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.reset()

    def reset(self):
        self.state = [self.rng.uniform(-0.05, 0.05) for _ in range(4)]
        return self.state

    def step(self, action):
        x, v, angle, spin = self.state
        for _ in range(400):
            force = 1.0 if action else -1.0
            acceleration = (force + 0.05 * spin * spin * math.sin(angle)) / 1.1  # truth: or here
            turn = (9.8 * math.sin(angle) - math.cos(angle) * acceleration) / 0.66  # truth: or here
            x, v = x + 0.0001 * v, v + 0.0001 * acceleration  # truth: or here
            angle, spin = angle + 0.0001 * spin, spin + 0.0001 * turn  # truth: or here
        self.state = [x, v, angle, spin]
        return self.state, 1.0, abs(angle) > 0.2


class VectorEnv:
    def __init__(self, count):
        self.envs = [Cart(i) for i in range(count)]

    def reset(self):
        return [env.reset() for env in self.envs]

    def step(self, actions):
        states, rewards, ends = [], [], []
        for env, action in zip(self.envs, actions):
            state, reward, end = env.step(action)
            states.append(env.reset() if end else state)
            rewards.append(reward)
            ends.append(end)
        return states, rewards, ends


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
        self.policy, self.value = nn.Linear(32, 2), nn.Linear(32, 1)

    def forward(self, state):
        h = self.body(state)
        return Categorical(logits=self.policy(h), validate_args=False), self.value(h).squeeze(-1)


def rollout(agent, env, states, horizon):
    seen, acted, logs, rewards = [], [], [], []
    for _ in range(horizon):
        observation = torch.tensor(states, device="cuda")
        with torch.no_grad():
            policy, _ = agent(observation)
            action = policy.sample()
            logs.append(policy.log_prob(action))
        states, reward, _ = env.step(action.tolist())
        seen.append(observation)
        acted.append(action)
        rewards.append(torch.tensor(reward))
    return states, torch.cat(seen), torch.cat(acted), torch.cat(logs), torch.cat(rewards).cuda()


def main():
    env, agent = VectorEnv(16), Agent().cuda()
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)
    states = env.reset()
    clock = Stamps()
    for iteration in range(15):
        with clock.gap():
            states, seen, acted, logs, rewards = rollout(agent, env, states, 16)
        for epoch in range(4):
            policy, value = agent(seen)
            ratio = (policy.log_prob(acted) - logs).exp()
            advantage = rewards - value.detach()
            loss = -(torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)).mean()
            loss = loss + 0.5 * (rewards - value).pow(2).mean() - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            clock.step()
    clock.end()


main()
