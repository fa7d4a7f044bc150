# SPDX-License-Identifier: MIT
"""DistributedDataParallel looks for parameters without a gradient, finds some, and so reads from the GPU in each backward pass."""
# truth: class=cpu cause=idle_sync|idle_host|idle_launch rule=comm-unused-parameters steps=60
# truth: never=input-bound
# cudasim: CUDASIM_KERNELS=*=300us
import tempfile

import torch
from stamps import Stamps
from torch import distributed, nn
from workload import compute


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.used, self.unused = nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        return self.used(self.body(x))


def main():
    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group("nccl", init_method=f"file://{folder}/meet", rank=0, world_size=1)
        model = nn.parallel.DistributedDataParallel(Heads().cuda(), find_unused_parameters=True)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        x = torch.randn(64, 32).cuda()
        y = x.sum(1, keepdim=True)
        clock = Stamps()
        for _ in range(60):
            loss = nn.functional.mse_loss(model(x), y)  # truth: here
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            compute(8)  # the next sentence is tokenised
            clock.step()
        clock.end()
        distributed.destroy_process_group()


main()
