# SPDX-License-Identifier: MIT
"""The data_prefetcher that many ImageNet scripts carry: the next batch is copied on a side stream."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound|copy-not-overlapped
# cudasim: CUDASIM_KERNELS=*=800us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader, TensorDataset
from workload import network, train_step


class DataPrefetcher:
    def __init__(self, loader):
        self.loader, self.stream = iter(loader), torch.cuda.Stream()
        self.preload()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = None
            return
        with torch.cuda.stream(self.stream):
            self.next_input = self.next_input.cuda(non_blocking=True)
            self.next_target = self.next_target.cuda(non_blocking=True)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        x, y = self.next_input, self.next_target
        if x is not None:
            x.record_stream(torch.cuda.current_stream())
            y.record_stream(torch.cuda.current_stream())
            self.preload()
        return x, y


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(60 * 16, 32)
    loader = DataLoader(TensorDataset(data, data.sum(1, keepdim=True)), batch_size=16, num_workers=2, pin_memory=True)
    prefetcher = DataPrefetcher(loader)
    x, y = prefetcher.next()
    clock = Stamps()
    step = 0
    while x is not None:
        loss = train_step(model, optimizer, x, y)
        step += 1
        if step % 20 == 0:
            print(f"loss {loss.item():.4f}")
        x, y = prefetcher.next()
        clock.step()
    clock.end()


main()
