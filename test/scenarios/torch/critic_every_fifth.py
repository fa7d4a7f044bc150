# SPDX-License-Identifier: MIT
"""Two models and two optimisers: the critic learns in each step, the actor in each fifth."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=500us
import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    critic, actor = network(), network()
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
    actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-4)
    x, y = regression()
    clock = Stamps()
    for step in range(1, 61):
        loss = train_step(critic, critic_optimizer, x, y)
        if step % 5 == 0:
            loss = train_step(actor, actor_optimizer, x, y)
        if step % 20 == 0:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
