# SPDX-License-Identifier: MIT
"""What was heard is written out in every step, in Python, from a list; mended, scores are kept for the end."""
# truth: rule=sync-tensor-to-host|sync-scalar-read
# truth: predict=all
# cudasim: CUDASIM_KERNELS=*gemm*=2ms;*=20us
import os

import torch
from torch import nn

from stamps import Stamps
from workload import compute

MENDED = os.environ["PAIR"] == "mended"


def written(scores):
    """Each row's best letters, without repetitions and blanks."""
    rows = scores.argmax(2).tolist()  # truth: here
    return ["".join(chr(97 + now) for last, now in zip([0, *row], row) if now not in (0, last)) for row in rows]


def main():
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 20)).cuda()
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-3)
    heard, letters = torch.randn(8, 12, 16, device="cuda"), torch.randint(0, 20, (8, 12), device="cuda")
    kept = []
    clock = Stamps()
    for _ in range(60):
        scores = network(heard)
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), letters.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept.append(scores.detach() if MENDED else written(scores.detach()))
        compute(5)
        clock.step()
    clock.end()


main()
