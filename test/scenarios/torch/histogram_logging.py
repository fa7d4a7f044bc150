# SPDX-License-Identifier: MIT
"""Every 25 steps histograms of all parameters go to the host: few steps hold much of the time."""
# truth: class=gpu|mixed|cpu cause=device_compute|idle_host|idle_sync rule=step-outlier|sync-tensor-to-host|host-python
# truth: steps=75 never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=400us
import torch
from stamps import Stamps
from workload import compute, network, regression, train_step


def log_histograms(model):
    for parameter in model.parameters():
        parameter.detach().cpu().numpy()  # truth: or here
        compute(20)  # truth: or here


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = regression()
    clock = Stamps()
    for step in range(1, 76):
        train_step(model, optimizer, x, y)
        if step % 25 == 0:
            log_histograms(model)  # truth: or here
        clock.step()
    clock.end()


main()
