# SPDX-License-Identifier: MIT
"""Images are drawn by guided diffusion: the scheduler lives on the host, in numbers of its own, its coefficients are sent down
in each of the twenty steps, and each finished image is brought back and encoded. The device is busy: nothing to mend."""
# truth: class=gpu cause=device_compute steps=any ahead=any
# truth: never=launch-bound|input-bound|sync-tensor-to-host|copy-many-small|host-python|sync-scalar-read
# cudasim: CUDASIM_KERNELS=*=400us
import numpy as np
import torch
from stamps import Stamps
from torch import nn
from workload import compute


class Denoiser(nn.Module):
    def __init__(self, size=48):
        super().__init__()
        self.time, self.text = nn.Embedding(1000, size), nn.Linear(8, size)
        self.down, self.up = nn.Linear(size, 2 * size), nn.Linear(2 * size, size)

    def forward(self, x, t, text):
        return self.up(nn.functional.silu(self.down(x + self.time(t) + self.text(text))))


class Scheduler:
    """Deterministic steps (DDIM); everything but the images is NumPy."""

    def __init__(self, steps, training_steps=1000):
        self.kept = np.cumprod(1 - np.linspace(1e-4, 0.02, training_steps))
        self.timesteps = np.linspace(training_steps - 1, 0, steps).round().astype(int)

    def step(self, noise, index, x):
        now = self.kept[self.timesteps[index]]
        then = self.kept[self.timesteps[index + 1]] if index + 1 < len(self.timesteps) else 1.0
        now, then = torch.tensor([now, then], dtype=torch.float32).to(x.device, non_blocking=True)
        clean = (x - (1 - now).sqrt() * noise) / now.sqrt()
        return then.sqrt() * clean + (1 - then).sqrt() * noise


@torch.no_grad()
def draw(model, scheduler, text, guidance=5.0):
    x = torch.randn(text.shape[0], 48, device="cuda")
    both = torch.cat([torch.zeros_like(text), text])
    for index, timestep in enumerate(scheduler.timesteps):
        t = torch.full((2 * len(x),), int(timestep), device="cuda")
        without, guided = model(torch.cat([x, x]), t, both).chunk(2)
        x = scheduler.step(without + guidance * (guided - without), index, x)
    return x.clamp(-1, 1).add(1).mul(127.5).to(torch.uint8)


def main():
    torch.manual_seed(0)
    model, scheduler = Denoiser().cuda().eval(), Scheduler(20)
    clock = Stamps()
    for _ in range(12):
        text = torch.randn(4, 8).cuda()
        images = draw(model, scheduler, text).cpu().numpy()
        assert images.shape == (4, 48)
        compute(2)  # encoded as PNG
        clock.step()
    clock.end()


main()
