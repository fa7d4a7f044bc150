# SPDX-License-Identifier: MIT
"""An overfit check that was stopped after one step."""
# truth: class=none cause=none steps=1
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps
from workload import network, regression, train_step


def main():
    model = network()
    optimizer = torch.optim.Adam(model.parameters())
    clock = Stamps()
    loss = train_step(model, optimizer, *regression())
    clock.step()
    clock.end()
    print(f"loss {loss.item():.4f}")


main()
