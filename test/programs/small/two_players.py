# SPDX-License-Identifier: MIT
"""Two networks against each other, each with an optimiser of its own, and five figures printed after every batch."""
# truth: steps=48
# cudasim: CUDASIM_KERNELS=*=60us
import torch
from torch import nn, optim
from torch.utils.data import DataLoader

from data import Pictures

NOISE = 8


def weights_init(module):
    name = module.__class__.__name__
    if "Conv" in name:
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif "BatchNorm" in name:
        nn.init.normal_(module.weight, 1.0, 0.02)
        nn.init.zeros_(module.bias)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(NOISE, 64), nn.BatchNorm1d(64), nn.ReLU(True),
            nn.Linear(64, 784), nn.Tanh())

    def forward(self, noise):
        return self.main(noise).view(-1, 1, 28, 28)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, 4, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
            nn.Flatten(), nn.Linear(784, 1), nn.Sigmoid())

    def forward(self, picture):
        return self.main(picture).view(-1)


def main():
    device = torch.device("cuda:0")
    loader = DataLoader(Pictures(192), batch_size=8, shuffle=True, num_workers=2)
    netG, netD = Generator().to(device), Discriminator().to(device)
    netG.apply(weights_init)
    netD.apply(weights_init)
    criterion = nn.BCELoss()
    optimizerD = optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
    optimizerG = optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
    fixed_noise = torch.randn(16, NOISE, device=device)
    for epoch in range(2):
        for i, data in enumerate(loader, 0):
            netD.zero_grad()
            real = data[0].to(device)
            label = torch.full((real.size(0),), 1.0, dtype=real.dtype, device=device)
            output = netD(real)
            errD_real = criterion(output, label)
            errD_real.backward()
            D_x = output.mean().item()
            noise = torch.randn(real.size(0), NOISE, device=device)
            fake = netG(noise)
            label.fill_(0.0)
            output = netD(fake.detach())
            errD_fake = criterion(output, label)
            errD_fake.backward()
            D_G_z1 = output.mean().item()
            errD = errD_real + errD_fake
            optimizerD.step()
            netG.zero_grad()
            label.fill_(1.0)
            output = netD(fake)
            errG = criterion(output, label)
            errG.backward()
            D_G_z2 = output.mean().item()
            optimizerG.step()
            print(f"[{epoch}][{i}/{len(loader)}] D {errD.item():.3f} G {errG.item():.3f} "
                  f"D(x) {D_x:.3f} D(G(z)) {D_G_z1:.3f} / {D_G_z2:.3f}")
        print(netG(fixed_noise).detach().cpu().mean())


if __name__ == "__main__":
    main()
