"""The same training as demo_slow.py, with its three mistakes mended. Used by `make demo`."""
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
    loader = DataLoader(Samples(), batch_size=BATCH, num_workers=2, pin_memory=True)
    model = nn.Sequential(nn.Linear(FEATURES, 16), nn.ReLU(), nn.Linear(16, CLASSES)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    total = torch.zeros((), device="cuda")
    for step, (samples, labels) in enumerate(loader, 1):
        samples = samples.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        loss = nn.functional.cross_entropy(model(samples), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
        if step % 20 == 0:  # now and then is enough
            print(f"step {step}: mean loss {total.item() / step:.3f}")


if __name__ == "__main__":
    main()
