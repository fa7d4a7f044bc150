# SPDX-License-Identifier: MIT
"""A language model whose parameters are updated by hand. The backward pass, on a thread of its own, launches most; the loop
is that of the thread which reads the loss."""
# truth: class=cpu|mixed cause=idle_sync|idle_launch|idle_host rule=sync-scalar-read steps=60
# truth: never=input-bound|host-blocked
# cudasim: CUDASIM_KERNELS=*=100us
import torch
from stamps import Stamps
from torch import nn
from workload import compute


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.cell, self.out = nn.Embedding(40, 32), nn.GRUCell(32, 32), nn.Linear(32, 40)

    def forward(self, text, state):
        scores = []
        for word in text:
            state = self.cell(self.words(word), state)
            scores.append(self.out(state))
        return torch.stack(scores), state.detach()


def main():
    torch.manual_seed(0)
    model = Words().cuda()
    text, following = torch.randint(0, 40, (2, 8, 4), device="cuda")
    state, total = torch.zeros(4, 32, device="cuda"), 0.0
    clock = Stamps()
    for step in range(1, 61):
        model.zero_grad()
        scores, state = model(text, state)
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), following.flatten())
        loss.backward()
        for parameter in model.parameters():
            parameter.data.add_(parameter.grad, alpha=-0.1)
        total += loss.item()  # truth: here
        compute(5)  # the next words are looked up
        clock.step()
        if step % 20 == 0:
            print(f"loss {total / 20:.3f}")
            total = 0.0
    clock.end()


main()
