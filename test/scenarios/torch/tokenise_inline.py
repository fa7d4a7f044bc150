# SPDX-License-Identifier: MIT
"""No loader at all: sentences are tokenised in plain Python in the loop, then copied to the device."""
# truth: class=cpu|io cause=idle_host|idle_input rule=host-python|input-bound steps=150
# truth: never=launch-bound
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch import nn

TEXT = "the quick brown fox jumps over the lazy dog and runs away from the angry bear " * 18


def tokenise(text, vocabulary):
    words = []
    for word in text.split():  # truth: or here
        for size in range(len(word), 0, -1):  # truth: or here
            words.append(vocabulary.setdefault(word[:size], len(vocabulary)))  # truth: or here
    return words[:64]


def main():
    torch.manual_seed(0)
    vocabulary = {}
    model = nn.Sequential(nn.EmbeddingBag(512, 32), nn.ReLU(), nn.Linear(32, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    clock = Stamps()
    for _ in range(150):
        clock.mark()
        rows = [tokenise(TEXT, vocabulary) for _ in range(64)]  # truth: or here
        clock.spent("idle_host")
        ids = torch.tensor(rows).cuda(non_blocking=True)
        loss = nn.functional.cross_entropy(model(ids), ids[:, 0] % 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.step()
    clock.end()


main()
