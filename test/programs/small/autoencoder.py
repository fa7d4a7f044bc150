# SPDX-License-Identifier: MIT
"""A variational autoencoder that adds up its loss after every batch and makes samples after each epoch."""
# truth: steps=80
# cudasim: CUDASIM_KERNELS=*=100us
import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader

from data import Pictures


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 64)
        self.fc21, self.fc22 = nn.Linear(64, 8), nn.Linear(64, 8)
        self.fc3, self.fc4 = nn.Linear(8, 64), nn.Linear(64, 784)

    def encode(self, x):
        hidden = F.relu(self.fc1(x))
        return self.fc21(hidden), self.fc22(hidden)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 784))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon, x, mu, logvar):
    reconstruction = F.binary_cross_entropy(recon, x.view(-1, 784), reduction="sum")
    return reconstruction - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())


device = torch.device("cuda")
train_loader = DataLoader(Pictures(320), batch_size=8, shuffle=True)
test_loader = DataLoader(Pictures(32), batch_size=8)
model = VAE().to(device)
optimizer = optim.Adam(model.parameters(), lr=1e-3)


def train(epoch):
    model.train()
    train_loss = 0
    for batch, (data, _) in enumerate(train_loader):
        data = data.to(device)
        optimizer.zero_grad()
        recon, mu, logvar = model(data)
        loss = loss_function(recon, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
        if batch % 10 == 0:
            print(f"epoch {epoch} batch {batch} loss {loss.item() / len(data):.3f}")
    print(f"epoch {epoch} average loss {train_loss / len(train_loader.dataset):.3f}")


def test():
    model.eval()
    test_loss = 0
    with torch.no_grad():
        for data, _ in test_loader:
            data = data.to(device)
            recon, mu, logvar = model(data)
            test_loss += loss_function(recon, data, mu, logvar).item()
    print(f"test loss {test_loss / len(test_loader.dataset):.3f}")


if __name__ == "__main__":
    for number in (1, 2):
        train(number)
        test()
        with torch.no_grad():
            sample = model.decode(torch.randn(4, 8).to(device)).cpu()
            print(f"samples of {tuple(sample.shape)}")
