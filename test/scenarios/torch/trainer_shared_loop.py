# SPDX-License-Identifier: MIT
"""A trainer draws batches for training and validation by one line, and measures more than it predicts."""
# truth: class=gpu cause=device_compute steps=80 ahead=yes phases=evaluation:4|checkpoint:4
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=800us
import tempfile

import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import network


class Trainer:
    def __init__(self, clock):
        self.clock, self.model, self.metrics = clock, network(), {}
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def loop(self, loader, handle):
        for batch in loader:
            yield handle(*(value.to("cuda", non_blocking=True) for value in batch))

    def training_step(self, x, y):
        return nn.functional.mse_loss(self.model(x), y)

    def validation_step(self, x, y):
        off = (self.model(x) - y).abs()
        self.metrics["near"] = (off < 0.5).float().mean()
        self.metrics["worst"] = off.max()

    def fit(self, training, held_out):
        for _ in range(4):
            for loss in self.loop(training, self.training_step):
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.clock.step()
            with self.clock.gap(), tempfile.TemporaryFile() as file:
                with torch.no_grad():
                    for _ in self.loop(held_out, self.validation_step):
                        pass
                torch.save(self.model.state_dict(), file)


def batches(count):
    x = torch.randn(count * 16, 32)
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16)


def main():
    clock = Stamps()
    Trainer(clock).fit(batches(20), batches(6))
    clock.end()


main()
