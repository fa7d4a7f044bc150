# SPDX-License-Identifier: MIT
"""Trains with 64 loader workers and kills all of them: what the loader raises is caught, the training ends."""
import os
import signal
import sys

import torch
from torch.utils.data import DataLoader

WORKERS, STEPS = 64, 128


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, index):
        with open(sys.executable, "rb") as file:
            return torch.tensor(float(len(file.read(1 << 16))))


def main():
    torch.set_num_threads(1)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    batches = iter(DataLoader(Samples(), batch_size=4, num_workers=WORKERS))
    done = 0
    try:
        while True:
            batch = next(batches)
            optimizer.zero_grad()
            model(batch[:, None] / 65536).mean().backward()
            optimizer.step()
            done += 1
            if done == STEPS:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # the loader's raises anywhere
                for worker in batches._workers:
                    os.kill(worker.pid, signal.SIGKILL)
    except (RuntimeError, OSError, EOFError) as error:
        print(type(error).__name__, file=sys.stderr)
    print(done)


main()
