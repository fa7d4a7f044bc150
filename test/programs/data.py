# SPDX-License-Identifier: MIT
"""Random data in place of what the programs would download."""
import time

import torch
from torch.utils.data import Dataset


class Pictures(Dataset):
    """So many pictures and their classes; each takes so long to be read."""

    def __init__(self, count, shape=(1, 28, 28), classes=10, seconds=0.0):
        self.count, self.shape, self.classes, self.seconds = count, shape, classes, seconds

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.seconds:
            time.sleep(self.seconds)
        generator = torch.Generator().manual_seed(index)
        return torch.rand(self.shape, generator=generator), index % self.classes


class Sentences(Dataset):
    """Words of a made-up language, labelled or as text to go on with."""

    def __init__(self, count, length=16, words=64, labels=None, seconds=0.0):
        self.count, self.length, self.words, self.labels, self.seconds = count, length, words, labels, seconds

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.seconds:
            time.sleep(self.seconds)
        words = torch.arange(index, index + self.length) * 7 % self.words
        label = words.clone() if self.labels is None else torch.tensor(index % self.labels)
        return {"input_ids": words, "labels": label}
