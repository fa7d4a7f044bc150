# SPDX-License-Identifier: MIT
"""The loss is a third-party function for the CPU: the outputs come down, CPU operators work on them."""
# truth: class=cpu cause=idle_host|idle_sync rule=host-operator|sync-tensor-to-host steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from workload import network


def soft_dtw(outputs, targets):
    distances = torch.cdist(outputs, targets)  # truth: or here
    for _ in range(12):
        distances = torch.logsumexp(torch.stack([distances, distances.t()]), 0).tanh()  # truth: or here
    return distances.mean()


def main():
    model = network(outputs=8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(300, 32).cuda()
    targets = torch.randn(300, 8)
    clock = Stamps()
    for _ in range(60):
        outputs = model(x).cpu()  # truth: or here
        loss = soft_dtw(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.step()
    clock.end()


main()
