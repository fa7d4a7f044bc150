# SPDX-License-Identifier: MIT
"""Two ranks with uneven inputs (Join): the first reads slowly, has more batches, and the other one waits."""
# truth: class=io cause=idle_input rule=input-bound steps=60
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=100us
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from stamps import Stamps
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from workload import Images, network, train_step


def run(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    model = DistributedDataParallel(network())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = Images(240, 0.003) if rank == 0 else Images(160, 0.0005)
    loader = DataLoader(data, batch_size=4)
    with Join([model]):
        clock = Stamps()
        for x in loader:  # truth: here
            clock.spent("idle_input")
            x = x.cuda()
            train_step(model, optimizer, x, x.sum(1, keepdim=True))
            clock.step()
        if rank == 0:
            clock.end()
    torch.cuda.synchronize()
    dist.destroy_process_group()


def main():
    store = os.path.join(tempfile.mkdtemp(), "store")
    other = mp.get_context("fork").Process(target=run, args=(1, store))
    other.start()
    run(0, store)
    other.join()


if __name__ == "__main__":
    main()
