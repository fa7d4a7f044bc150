# SPDX-License-Identifier: MIT
"""A data set whose tensors lie on the device, and the default loader that picks and stacks them one by one."""
# truth: class=io|cpu cause=idle_input|idle_launch|idle_host rule=input-single-process|input-bound|launch-bound steps=60
# truth: never=input-workers-saturated|input-storage
# cudasim: CUDASIM_KERNELS=*=8us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader, TensorDataset
from workload import network, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(60 * 256, 32, device="cuda")
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=256, shuffle=True)
    clock = Stamps()
    for features, target in loader:  # truth: here
        train_step(model, optimizer, features, target)
        clock.step()
    clock.end()


main()
