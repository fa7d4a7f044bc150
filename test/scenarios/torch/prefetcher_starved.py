# SPDX-License-Identifier: MIT
"""A prefetcher with a side stream of its own, fed by a loader that is slower than the device: waiting is inside next()."""
# truth: class=io cause=idle_input rule=input-bound steps=60
# truth: never=launch-bound|input-single-process|copy-not-overlapped
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import Images, network, train_step


class Prefetcher:
    def __init__(self, loader, clock):
        self.loader, self.stream, self.clock = iter(loader), torch.cuda.Stream(), clock
        self.ready = None
        self.preload()

    def preload(self):
        self.clock.mark()
        try:
            batch = next(self.loader)  # truth: here
        except StopIteration:
            self.ready = None
            return
        finally:
            self.clock.spent("idle_input")
        with torch.cuda.stream(self.stream):
            self.ready = batch.cuda(non_blocking=True)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        batch = self.ready
        if batch is not None:
            batch.record_stream(torch.cuda.current_stream())
        self.preload()
        return batch


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Images(60 * 16, 0.0009), batch_size=16, num_workers=1, pin_memory=True)
    clock = Stamps()
    prefetcher = Prefetcher(loader, clock)
    batch = prefetcher.next()
    while batch is not None:
        train_step(model, optimizer, batch, batch.sum(1, keepdim=True))
        clock.step()
        batch = prefetcher.next()
    clock.end()


main()
