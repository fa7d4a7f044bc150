# SPDX-License-Identifier: MIT
"""A learner with an optimiser of its own, which PyTorch knows nothing of: batches alone tell of steps. One loop goes
over the training's batches and over those of the validation; a callback decides what is done with them."""
# truth: steps=48
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from data import Pictures


class Momentum:
    def __init__(self, parameters, rate=0.01, keep=0.9):
        self.parameters, self.rate, self.keep = list(parameters), rate, keep
        self.means = [torch.zeros_like(parameter) for parameter in self.parameters]

    @torch.no_grad()
    def step(self):
        for parameter, mean in zip(self.parameters, self.means):
            mean.mul_(self.keep).add_(parameter.grad)
            parameter.add_(mean, alpha=-self.rate)

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None


class Learner:
    def __init__(self, train, valid, model, device="cuda"):
        self.train, self.valid, self.model, self.device = train, valid, model.to(device), device
        self.optimizer = Momentum(self.model.parameters())

    def one_batch(self, pictures, classes):
        pictures, classes = pictures.to(self.device), classes.to(self.device)
        scores = self.model(pictures)
        loss = F.cross_entropy(scores, classes)
        if self.model.training:
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
        return loss.detach()

    def all_batches(self, loader):
        return torch.stack([self.one_batch(*batch) for batch in loader]).mean().item()

    def fit(self, epochs):
        for epoch in range(epochs):
            self.model.train()
            train = self.all_batches(self.train)
            self.model.eval()
            with torch.no_grad():
                valid = self.all_batches(self.valid)
            print(f"epoch {epoch}: {train:.4f} {valid:.4f}")


def main():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(784, 32), nn.ReLU(),
                          nn.Linear(32, 10))
    learner = Learner(DataLoader(Pictures(96), batch_size=6, shuffle=True), DataLoader(Pictures(36), batch_size=6), model)
    learner.fit(3)


if __name__ == "__main__":
    main()
