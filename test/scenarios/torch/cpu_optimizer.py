# SPDX-License-Identifier: MIT
"""Parameters are offloaded: gradients go to the host, Adam runs there, the weights go back."""
# truth: class=cpu cause=idle_host|idle_sync rule=host-operator|sync-tensor-to-host steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=100us
import torch
from stamps import Stamps
from torch import nn
from workload import regression


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 1)).cuda()
    masters = [parameter.detach().cpu().clone() for parameter in model.parameters()]
    offloaded = nn.ParameterList([*masters, torch.zeros(400_000)])
    optimizer = torch.optim.Adam(offloaded.parameters(), lr=1e-3, foreach=False)
    x, y = regression()
    clock = Stamps()
    for _ in range(60):
        loss = nn.functional.mse_loss(model(x), y)
        model.zero_grad()
        loss.backward()
        for master, parameter in zip(offloaded, model.parameters()):
            master.grad = parameter.grad.cpu()  # truth: or here
        offloaded[-1].grad = torch.ones(400_000)
        optimizer.step()  # truth: or here
        with torch.no_grad():
            for master, parameter in zip(offloaded, model.parameters()):
                parameter.copy_(master)
        clock.step()
    clock.end()


main()
