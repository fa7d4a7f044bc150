# SPDX-License-Identifier: MIT
"""Cross-validation over a mapped table: each fold makes a model, an optimiser and loaders anew; nothing waits for storage."""
# truth: class=cpu|io cause=idle_launch|idle_host|idle_input rule=input-bound|input-single-process|launch-bound|host-python steps=200
# truth: never=input-storage|host-blocked
# cudasim: CUDASIM_KERNELS=*=60us
import tempfile

import numpy
import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, Dataset, SubsetRandomSampler

FOLDS, EPOCHS, ROWS = 5, 2, 400


class Table(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = torch.from_numpy(numpy.array(self.rows[index]))
        return row, row.sum() > 0


def folds():
    parts = numpy.array_split(numpy.random.default_rng(0).permutation(ROWS), FOLDS)
    for held_out in range(FOLDS):
        yield numpy.concatenate([part for number, part in enumerate(parts) if number != held_out]), parts[held_out]


def evaluate(model, loader):
    good = 0
    with torch.no_grad():
        for x, y in loader:
            good += (model(x.cuda()).argmax(1).cpu() == y).sum().item()
    return good


def main():
    torch.manual_seed(0)
    clock = Stamps()
    with tempfile.NamedTemporaryFile() as file:
        numpy.random.default_rng(1).standard_normal((ROWS, 32), dtype=numpy.float32).tofile(file.name)
        table = Table(numpy.memmap(file.name, dtype=numpy.float32, mode="r", shape=(ROWS, 32)))
        for train, test in folds():
            model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 2)).cuda()
            optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
            batches = DataLoader(table, batch_size=16, sampler=SubsetRandomSampler(train))
            for _ in range(EPOCHS):
                for x, y in batches:  # truth: or here
                    loss = nn.functional.cross_entropy(model(x.cuda()), y.long().cuda())
                    optimizer.zero_grad()
                    loss.backward()  # truth: or here
                    optimizer.step()  # truth: or here
                    clock.step()
                with clock.gap():
                    evaluate(model, DataLoader(table, batch_size=16, sampler=SubsetRandomSampler(test)))
    clock.end()


main()
