# SPDX-License-Identifier: MIT
"""A recurrent cell written out in Python: hundreds of kernels of two microseconds per step."""
# truth: class=cpu cause=idle_launch rule=launch-bound steps=40
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=2us
import torch
from stamps import Stamps
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.candidate = nn.Linear(16, 8), nn.Linear(16, 8)

    def forward(self, sequence):
        state = torch.zeros(4, 8, device="cuda")
        for x in sequence:
            both = torch.cat([x, state], 1)
            gate = torch.sigmoid(self.gate(both))  # truth: or here
            state = gate * state + (1 - gate) * torch.tanh(self.candidate(both))  # truth: or here
        return state


def main():
    torch.manual_seed(0)
    model = Cell().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    sequence = torch.randn(12, 4, 8).cuda()
    clock = Stamps()
    for _ in range(40):
        loss = model(sequence).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()  # truth: or here
        optimizer.step()
        clock.step()
    clock.end()


main()
