# SPDX-License-Identifier: MIT
"""Adam without foreach over eighty small parameters: most launches of a step are the optimiser's."""
# truth: class=cpu cause=idle_launch rule=launch-bound|optimizer-per-tensor steps=40
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=2us
import torch
from stamps import Stamps


def main():
    torch.manual_seed(0)
    scales = [torch.ones(16, device="cuda", requires_grad=True) for _ in range(80)]
    optimizer = torch.optim.Adam(scales, lr=1e-3, foreach=False)
    x = torch.ones(16, device="cuda")
    clock = Stamps()
    for _ in range(40):
        loss = (torch.stack(scales) * x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # truth: here
        clock.step()
    clock.end()


main()
