"""Trains a small classifier with three well-known mistakes, one comment at each. Used by `make demo`."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

STEPS, BATCH, FEATURES, CLASSES = 120, 32, 1024, 10


class Samples(Dataset):
    """Stands for decoding and augmenting a sample: a few hundred microseconds of work on the host."""

    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        raw = torch.randn(4 * FEATURES, generator=generator)
        ordered, _ = raw.view(64, -1).sort(dim=1)
        return ordered.view(FEATURES, 4).mean(dim=1), index % CLASSES


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Samples(), batch_size=BATCH)  # mistake: the training process loads by itself
    model = nn.Sequential(nn.Linear(FEATURES, 16), nn.ReLU(), nn.Linear(16, CLASSES)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    total = 0.0
    for samples, labels in loader:
        samples = samples.cuda(non_blocking=True)  # mistake: pageable memory, so it does block
        labels = labels.cuda()
        loss = nn.functional.cross_entropy(model(samples), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # mistake: the host waits for the device in every step
    print(f"mean loss {total / len(loader):.3f}")


if __name__ == "__main__":
    main()
