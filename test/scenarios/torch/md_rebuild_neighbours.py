# SPDX-License-Identifier: MIT
"""Molecular dynamics with a learned potential: forces by autograd, no optimiser; every tenth step the positions come to the host,
where the list of neighbours is built anew in plain Python, which takes longer than the ten steps."""
# truth: class=cpu cause=idle_host|idle_sync steps=120|unsure
# truth: rule=host-python|step-outlier|sync-tensor-to-host|sync-scalar-read|phase-long
# truth: never=launch-bound|input-bound|gpu-bound
# cudasim: CUDASIM_KERNELS=*=60us
import torch
from stamps import Stamps
from torch import nn

ATOMS, BOX, CUTOFF, EVERY = 160, 20.0, 3.0, 10


class Potential(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 16), nn.SiLU(), nn.Linear(16, 1))

    def forward(self, positions, pairs):
        apart = positions.index_select(0, pairs[0]) - positions.index_select(0, pairs[1])
        apart = apart - BOX * torch.round(apart / BOX)
        distance = (apart.pow(2).sum(1, keepdim=True) + 1e-6).sqrt()
        return (self.body(distance) / distance).sum()


def forces(potential, positions, pairs):
    positions = positions.detach().requires_grad_(True)
    return -torch.autograd.grad(potential(positions, pairs), positions)[0]


def build_pairs(positions):
    atoms = positions.tolist()  # truth: or here
    found = ([], [])
    for i, (x, y, z) in enumerate(atoms):
        for j in range(i):
            other = atoms[j]
            dx, dy, dz = x - other[0], y - other[1], z - other[2]
            dx -= BOX * round(dx / BOX)  # truth: or here
            dy -= BOX * round(dy / BOX)  # truth: or here
            dz -= BOX * round(dz / BOX)  # truth: or here
            if dx * dx + dy * dy + dz * dz < CUTOFF * CUTOFF:  # truth: or here
                found[0].append(i)
                found[1].append(j)
    return torch.tensor(found).cuda()


def main():
    torch.manual_seed(0)
    potential = Potential().cuda().requires_grad_(False)
    positions = (torch.rand(ATOMS, 3) * BOX).cuda()
    velocities, time_step = torch.randn(ATOMS, 3).cuda() * 0.1, 0.002
    pairs = build_pairs(positions)
    force = forces(potential, positions, pairs)
    clock = Stamps()
    for step in range(1, 121):
        velocities = velocities + 0.5 * time_step * force
        positions = positions + time_step * velocities
        if step % EVERY == 0:
            pairs = build_pairs(positions)  # truth: or here
        force = forces(potential, positions, pairs)
        velocities = velocities + 0.5 * time_step * force
        clock.step()
    clock.end()
    print(f"kinetic energy {velocities.pow(2).sum().item() / 2:.3f}")


main()
