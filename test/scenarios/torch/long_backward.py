# SPDX-License-Identifier: MIT
"""Most is launched by the backward pass, on a thread of its own, of which the program has one line."""
# truth: class=cpu cause=idle_launch rule=launch-bound steps=60
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=2us
import torch
from stamps import Stamps


def main():
    torch.manual_seed(0)
    weight = torch.nn.Parameter(torch.rand(16, 16, device="cuda"))
    bias = torch.nn.Parameter(torch.rand(16, device="cuda"))
    optimizer = torch.optim.SGD([weight, bias], lr=1e-4)
    x = torch.rand(8, 16, device="cuda")
    clock = Stamps()
    for _ in range(60):
        state = x
        for _ in range(12):
            state = torch.addmm(bias, state, weight)
        loss = state.mean()
        optimizer.zero_grad()
        loss.backward()  # truth: here
        optimizer.step()
        clock.step()
    clock.end()


main()
