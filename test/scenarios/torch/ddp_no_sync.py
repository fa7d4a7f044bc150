# SPDX-License-Identifier: MIT
"""DistributedDataParallel with gradients of four small batches, of which the first three are not shared (no_sync)."""
# truth: class=gpu cause=device_compute steps=40 ahead=yes
# truth: never=launch-bound|input-bound|comm-unused-parameters
# cudasim: CUDASIM_KERNELS=*=300us
import contextlib
import tempfile

import torch
from stamps import Stamps
from torch import distributed, nn
from workload import network, regression

ACCUMULATE = 4


def main():
    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group("nccl", init_method=f"file://{folder}/meet", rank=0, world_size=1)
        model = nn.parallel.DistributedDataParallel(network())
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        batches = [regression(16) for _ in range(8)]
        clock = Stamps()
        for i in range(40 * ACCUMULATE):
            x, y = batches[i % len(batches)]
            last = (i + 1) % ACCUMULATE == 0
            with contextlib.nullcontext() if last else model.no_sync():
                loss = nn.functional.mse_loss(model(x), y) / ACCUMULATE
                loss.backward()
            if last:
                optimizer.step()
                optimizer.zero_grad()
                clock.step()
        clock.end()
        distributed.destroy_process_group()


main()
