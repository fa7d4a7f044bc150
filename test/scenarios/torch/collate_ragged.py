# SPDX-License-Identifier: MIT
"""The samples are ready in memory, but one worker puts each batch together in Python, and that is slow."""
# truth: class=io cause=idle_input rule=input-bound steps=60
# truth: never=launch-bound|input-storage|input-taking
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch.utils.data import DataLoader, Dataset
from workload import compute, network, train_step


class Sentences(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return list(range(index % 29 + 3))


def pad(samples):
    longest = max(map(len, samples))
    rows = []
    for sample in samples:
        compute(20 / len(samples))  # attention masks, positions, special tokens
        rows.append(sample + [0] * (longest - len(sample)))
    x = torch.zeros(len(rows), 32)
    x[:, :longest] = torch.tensor(rows) / 32
    return x, x.sum(1, keepdim=True)


def main():
    loader = DataLoader(Sentences(60 * 32), batch_size=32, shuffle=True, num_workers=1, collate_fn=pad)
    model = network()
    optimizer = torch.optim.AdamW(model.parameters())
    batches = iter(loader)
    clock = Stamps()
    for x, y in batches:  # truth: here
        clock.spent("idle_input")
        train_step(model, optimizer, x.cuda(), y.cuda())
        clock.step()
    clock.end()


if __name__ == "__main__":
    main()
