# SPDX-License-Identifier: MIT
"""An IterableDataset whose workers share the files among them; parsing a line takes too long for two of them."""
# truth: class=io cause=idle_input rule=input-bound|input-workers-saturated|input-decode steps=60
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from workload import compute, network, train_step

SHARDS, LINES, BATCH = 6, 80, 8


class Lines(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, count = (info.id, info.num_workers) if info else (0, 1)
        for shard in range(first, SHARDS, count):
            for line in range(LINES):
                compute(2)  # parse it
                yield torch.full((32,), (shard * LINES + line) / (SHARDS * LINES))


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Lines(), batch_size=BATCH, num_workers=2)
    clock = Stamps()
    for x in loader:  # truth: here
        clock.spent("idle_input")
        x = x.cuda(non_blocking=True)
        train_step(model, optimizer, x, x.sum(1, keepdim=True))
        clock.step()
    clock.end()


main()
