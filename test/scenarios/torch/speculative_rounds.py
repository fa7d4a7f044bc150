# SPDX-License-Identifier: MIT
"""Speculative decoding: a small model proposes four tokens, the large one checks them at once, and how many it accepts is read;
the host then turns them into text and streams it before the next round."""
# truth: class=cpu cause=idle_sync|idle_host rule=sync-scalar-read|sync-tensor-to-host|host-python steps=60
# truth: never=launch-bound|input-bound|gpu-bound
# cudasim: CUDASIM_KERNELS=*=150us
import torch
from stamps import Stamps
from torch import nn
from workload import compute

WINDOW, AHEAD = 12, 4


class Decoder(nn.Module):
    def __init__(self, size, layers, words=40):
        super().__init__()
        self.embed = nn.Embedding(words, size)
        self.body = nn.Sequential(*(nn.Sequential(nn.Linear(size, size), nn.ReLU()) for _ in range(layers)))
        self.head = nn.Linear(size, words)

    def forward(self, tokens):
        return self.head(self.body(self.embed(tokens).cumsum(1)))


def propose(draft, context):
    for _ in range(AHEAD):
        following = draft(context[:, -WINDOW:])[:, -1].argmax(1, keepdim=True)
        context = torch.cat([context, following], 1)
    return context


def check(target, proposed):
    """The tokens up to the first that the large model would not have said, and its own instead."""
    wanted = target(proposed[:, -WINDOW - AHEAD:])[:, -AHEAD - 1:].argmax(2)
    different = wanted[:, :-1] != proposed[:, -AHEAD:]
    accepted = (different.cumsum(1) == 0).sum().item()  # truth: or here
    kept = proposed[:, :proposed.shape[1] - AHEAD + accepted]
    return torch.cat([kept, wanted[:, accepted:accepted + 1]], 1), accepted


@torch.inference_mode()
def main():
    torch.manual_seed(0)
    draft, target = Decoder(16, 1).cuda().eval(), Decoder(32, 4).cuda().eval()
    context = torch.randint(0, 40, (1, WINDOW + AHEAD), device="cuda")
    taken = 0
    clock = Stamps()
    for _ in range(60):
        context, accepted = check(target, propose(draft, context))
        taken += accepted + 1
        compute(6)  # truth: or here
        clock.step()
    clock.end()
    print(f"{taken} tokens in 60 rounds")


main()
