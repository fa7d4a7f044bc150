# SPDX-License-Identifier: MIT
"""A decoder looks after every token whether the sentence has ended; mended, it writes them all and is not asked."""
# truth: rule=sync-scalar-read
# cudasim: CUDASIM_KERNELS=*gemm*=400us;*=20us
import os

import torch
from torch import nn

from stamps import Stamps
from workload import compute

MENDED = os.environ["PAIR"] == "mended"
WORDS, LENGTH, END = 40, 8, 40


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.cell, self.out = nn.Embedding(WORDS, 32), nn.GRUCell(32, 32), nn.Linear(32, WORDS)

    def forward(self, word, state):
        state = self.cell(self.words(word), state)
        return self.out(state), state


def sentence(decoder, target):
    """The loss of a sentence that the decoder goes on with by its own words."""
    word, state, loss = torch.zeros(1, dtype=torch.long, device="cuda"), torch.zeros(1, 32, device="cuda"), 0
    for position in range(LENGTH):
        scores, state = decoder(word, state)
        loss = loss + nn.functional.cross_entropy(scores, target[position:position + 1])
        word = scores.argmax(1)
        if not MENDED and word.item() == END:  # truth: here
            break
    return loss


def main():
    torch.manual_seed(0)
    decoder = Decoder().cuda()
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.01)
    target = torch.randint(0, WORDS, (LENGTH,), device="cuda")
    clock = Stamps()
    for _ in range(45):
        loss = sentence(decoder, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        compute(5)  # the next sentence is looked up
        clock.step()
    clock.end()


main()
