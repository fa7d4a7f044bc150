"""A training loop without a mistake, into which mistakes are put, one at a time (mistakes.py)."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

STEPS, BATCH, FEATURES, CLASSES = 42, 32, 64, 10


def make_loader():
    generator = torch.Generator().manual_seed(1)
    samples = torch.randn(STEPS * BATCH, FEATURES, generator=generator)
    labels = torch.randint(CLASSES, (STEPS * BATCH,), generator=generator)
    return DataLoader(TensorDataset(samples, labels), batch_size=BATCH, pin_memory=True)


def train(model, optimizer, loader):
    total = torch.zeros((), device="cuda")
    for step, (samples, labels) in enumerate(loader):
        samples = samples.to("cuda", non_blocking=True)
        labels = labels.to("cuda", non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(samples), labels)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(FEATURES, 32), nn.ReLU(), nn.Linear(32, CLASSES)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    train(model, optimizer, make_loader())


if __name__ == "__main__":
    main()
