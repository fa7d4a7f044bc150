# SPDX-License-Identifier: MIT
"""Short epochs whose workers are started anew each time: the wait is at the first batch, not in between.

Making the workers is code that the training thread runs, not waiting for data: nobody reads anything meanwhile. Waiting for
data is what comes after it, until the first batch is there, and before it, in the loader's own end."""
# truth: class=io cause=idle_input rule=input-bound|input-first-batch steps=60 ahead=any
# truth: never=launch-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader, TensorDataset
from workload import network, train_step


class Loader(DataLoader):
    """Stamped where the workers have been made."""

    def __init__(self, clock, *arguments, **options):
        super().__init__(*arguments, **options)
        self.__dict__["clock"] = clock

    def __iter__(self):
        self.clock.spent("idle_input")
        batches = super().__iter__()
        self.clock.spent("idle_host|idle_blocked")  # threads that feed the workers are waited for till they run
        return batches


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(160, 32)
    clock = Stamps()
    loader = Loader(clock, TensorDataset(data, data.sum(1, keepdim=True)), batch_size=16, num_workers=2)
    for _ in range(6):
        for x, y in loader:  # truth: here
            clock.spent("idle_input")
            train_step(model, optimizer, x.cuda(non_blocking=True), y.cuda(non_blocking=True))
            clock.step()
    clock.end()


main()
