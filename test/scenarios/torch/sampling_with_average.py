# SPDX-License-Identifier: MIT
"""Diffusion: weights are averaged by hand after each step, and every twentieth time samples are drawn by the same lines."""
# truth: class=gpu|mixed cause=device_compute steps=60 phases=evaluation:3 ahead=any
# truth: never=input-bound|sync-scalar-read|step-outlier
# cudasim: CUDASIM_KERNELS=*=250us
import copy

import torch
from stamps import Stamps
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Embedding(50, 32)
        self.body = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 32))

    def forward(self, x, t):
        return self.body(x + self.time(t))


class Diffusion:
    def __init__(self, steps=50):
        self.steps = steps
        self.kept = torch.linspace(0.999, 0.5, steps).cuda()

    def noised(self, x, t, noise):
        kept = self.kept[t].unsqueeze(1)
        return kept.sqrt() * x + (1 - kept).sqrt() * noise

    @torch.no_grad()
    def sample(self, model, count):
        x = torch.randn(count, 32, device="cuda")
        for step in range(self.steps - 1, 0, -2):
            t = torch.full((count,), step, device="cuda")
            x = (x - model(x, t) * 0.02) * 1.01
        return x


@torch.no_grad()
def average_weights(average, model, decay=0.995):
    for kept, now in zip(average.parameters(), model.parameters()):
        kept.lerp_(now, 1 - decay)


def main():
    torch.manual_seed(0)
    model = Denoiser().cuda()
    average = copy.deepcopy(model)
    diffusion = Diffusion()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = torch.randn(512, 32, device="cuda")
    clock = Stamps()
    for step in range(1, 61):
        x = data[(step * 64) % 448:][:64]
        t = torch.randint(0, 50, (64,), device="cuda")
        noise = torch.randn_like(x)
        loss = nn.functional.mse_loss(model(diffusion.noised(x, t, noise), t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average_weights(average, model)
        clock.step()
        if step % 20 == 0:
            with clock.gap():
                diffusion.sample(average, 16).cpu()
    clock.end()


main()
