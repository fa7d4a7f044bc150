# SPDX-License-Identifier: MIT
"""A GAN: the discriminator's optimiser and then the generator's make one step."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps
from torch import nn


def main():
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8)).cuda()
    critic = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)).cuda()
    criterion = nn.BCEWithLogitsLoss()
    optimizer_d = torch.optim.Adam(critic.parameters(), lr=2e-4)
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=2e-4)
    real = torch.randn(32, 8).cuda()
    ones, zeros = torch.ones(32, 1).cuda(), torch.zeros(32, 1).cuda()
    fixed_noise = torch.randn(32, 16, device="cuda")
    clock = Stamps()
    for step in range(60):
        fake = generator(torch.randn(32, 16, device="cuda"))
        optimizer_d.zero_grad()
        loss_d = criterion(critic(real), ones) + criterion(critic(fake.detach()), zeros)
        loss_d.backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        loss_g = criterion(critic(fake), ones)
        loss_g.backward()
        optimizer_g.step()
        if step % 20 == 19:
            print(f"D {loss_d.item():.3f} G {loss_g.item():.3f} {generator(fixed_noise).mean().item():.3f}")
        clock.step()
    clock.end()


main()
