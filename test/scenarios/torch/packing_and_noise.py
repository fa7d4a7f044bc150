# SPDX-License-Identifier: MIT
"""Documents are packed into sequences by an iterable data set in the training process, and the gradient noise scale is measured in
each step by reading two norms: two causes, and either alone would cost nearly nothing."""
# truth: class=io|cpu cause=idle_input|idle_sync steps=60
# truth: rule=input-single-process|input-bound|sync-scalar-read
# truth: never=launch-bound|input-storage|input-workers-saturated|gpu-bound
# cudasim: CUDASIM_KERNELS=*=150us
import random

import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

LENGTH = 64


class Packed(IterableDataset):
    """Documents of all lengths, put end to end into sequences of one length, the best fitting first."""

    def __init__(self, sequences):
        self.sequences, self.rng = sequences, random.Random(0)

    def document(self):
        return [self.rng.randrange(1, 50) for _ in range(self.rng.randrange(4, 40))]

    def __iter__(self):
        waiting = [self.document() for _ in range(1500)]
        for _ in range(self.sequences):
            packed = []
            while len(packed) < LENGTH:
                room = LENGTH - len(packed)
                waiting.sort(key=lambda document: abs(room - len(document)))
                packed += waiting.pop(0) + [0]
                waiting.append(self.document())
            yield torch.tensor(packed[:LENGTH])


def gradient_norm(model):
    return torch.stack([p.grad.pow(2).sum() for p in model.parameters()]).sum()


class NoiseScale:
    """As in "An Empirical Model of Large-Batch Training": norms of a small and of a large batch's gradient."""

    def __init__(self, small, large):
        self.small, self.large, self.noise, self.signal = small, large, 0.0, 0.0

    def update(self, small_norm, large_norm):
        signal = (self.large * large_norm - self.small * small_norm) / (self.large - self.small)
        noise = (small_norm - large_norm) / (1 / self.small - 1 / self.large)
        self.signal = 0.9 * self.signal + 0.1 * signal
        self.noise = 0.9 * self.noise + 0.1 * noise


def loss_of(model, tokens):
    return nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 50)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scale = NoiseScale(4, 8)
    loader = DataLoader(Packed(60 * 8), batch_size=8)
    clock = Stamps()
    for tokens in loader:  # truth: or here
        clock.spent("idle_input")
        tokens = tokens.cuda(non_blocking=True)
        optimizer.zero_grad()
        (loss_of(model, tokens[:4]) / 2).backward()
        small = gradient_norm(model) * 4
        (loss_of(model, tokens[4:]) / 2).backward()
        large = gradient_norm(model)
        optimizer.step()
        scale.update(small.item(), large.item())  # truth: or here
        clock.step()
    clock.end()


main()
