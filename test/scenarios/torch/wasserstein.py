# SPDX-License-Identifier: MIT
"""Five steps of the critic with a gradient penalty, then one of the generator: a step is one of the critic's, whose loss is read for the log."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read|sync-repeated-line steps=100
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps
from torch import nn
from workload import compute


def penalty(critic, real, fake):
    mix = torch.rand(len(real), 1, device="cuda")
    between = (mix * real + (1 - mix) * fake).requires_grad_()
    grad, = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


def main():
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8)).cuda()
    critic = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-4, betas=(0.0, 0.9))
    optimizer_c = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
    real = torch.randn(64, 8, device="cuda")
    clock = Stamps()
    for _ in range(20):
        for _ in range(5):
            fake = generator(torch.randn(64, 16, device="cuda")).detach()
            loss_c = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
            optimizer_c.zero_grad()
            loss_c.backward()
            optimizer_c.step()
            print(f"critic {loss_c.item():.3f}")  # truth: here
            compute(4)
            clock.step()
        loss_g = -critic(generator(torch.randn(64, 16, device="cuda"))).mean()
        optimizer_g.zero_grad()
        loss_g.backward()
        optimizer_g.step()
    clock.end()


main()
