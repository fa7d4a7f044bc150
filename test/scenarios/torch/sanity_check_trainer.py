# SPDX-License-Identifier: MIT
"""A trainer: two batches of validation as a sanity check, then epochs of training with validation after each."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=2ms
import itertools

import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import network


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer, self.losses = model, optimizer, []

    def loss(self, batch):
        x, y = batch[0].cuda(), batch[1].cuda()
        return nn.functional.mse_loss(self.model(x), y)

    def validate(self, loader, most=None):
        self.model.eval()
        with torch.no_grad():
            self.losses.append(torch.stack([self.loss(batch) for batch in itertools.islice(loader, most)]).mean())
        self.model.train()

    def fit(self, train, held_out, epochs, clock):
        with clock.gap():
            self.validate(held_out, most=2)
        for _ in range(epochs):
            for batch in train:
                def closure(batch=batch):
                    self.optimizer.zero_grad()
                    loss = self.loss(batch)
                    loss.backward()
                    return loss

                self.optimizer.step(closure)
                clock.step()
            with clock.gap():
                self.validate(held_out)
                torch.cuda.synchronize()


def main():
    data = torch.randn(20 * 16, 32)
    train = DataLoader(TensorDataset(data, data.sum(1, keepdim=True)), batch_size=16, shuffle=True)
    held_out = DataLoader(TensorDataset(data[:128], data[:128, :1]), batch_size=16)
    model = network()
    trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.01))
    clock = Stamps()
    trainer.fit(train, held_out, 3, clock)
    clock.end()


main()
