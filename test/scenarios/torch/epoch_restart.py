# SPDX-License-Identifier: MIT
"""Short epochs whose workers are started anew each time: the wait is at the first batch, not in between."""
# truth: class=io cause=idle_input rule=input-bound|input-first-batch steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader, TensorDataset
from workload import network, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(160, 32)
    loader = DataLoader(TensorDataset(data, data.sum(1, keepdim=True)), batch_size=16, num_workers=2)
    clock = Stamps()
    for _ in range(6):
        for x, y in loader:  # truth: here
            clock.spent("idle_input")
            train_step(model, optimizer, x.cuda(non_blocking=True), y.cuda(non_blocking=True))
            clock.step()
    clock.end()


main()
