# SPDX-License-Identifier: MIT
"""An iterable data set with three workers, of which one takes five times as long: batches come in turn, so all wait for it."""
# truth: class=io cause=idle_input rule=input-bound|input-taking steps=60
# truth: says=input-worker-slow
# truth: never=launch-bound|sync-scalar-read|input-decode
# cudasim: CUDASIM_KERNELS=*=50us
import time

import torch
from stamps import Stamps
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from workload import network, train_step


class Shards(IterableDataset):
    def __iter__(self):
        worker = get_worker_info().id
        for i in range(20):
            time.sleep(0.05 if worker == 1 else 0.01)
            x = torch.full((16, 32), (i * 3 + worker) / 60)
            yield x, x.sum(1, keepdim=True)


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Shards(), batch_size=None, num_workers=3)
    clock = Stamps()
    for x, y in loader:  # truth: here
        clock.spent("idle_input")
        train_step(model, optimizer, x.cuda(), y.cuda())
        clock.step()
    clock.end()


if __name__ == "__main__":
    main()
