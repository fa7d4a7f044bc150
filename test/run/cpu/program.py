# SPDX-License-Identifier: MIT
"""Training on the processor alone: program.py FOLDER MODE...

Each mode runs in a fork of its own, because importing torch takes so long. FOLDER/MODE.json has what
its own stop-watch says, and its pid. Shares are of the steps behind the first ten, which the analyzer leaves out too."""
import json
import multiprocessing
import os
import sys
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset

STEPS, WARM, BATCH = 60, 10, 8


class Samples(Dataset):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        if self.seconds > 0:
            time.sleep(self.seconds)
        return torch.full((64,), index / 100), torch.tensor([1.0])


def busy(seconds):
    end, count = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        count += 1
    return count


def train(mode):
    size = 1024 if mode == "operators" else 64
    network = torch.nn.Sequential(torch.nn.Linear(64, size), torch.nn.Linear(size, size), torch.nn.Linear(size, 1))
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-4)
    loader = DataLoader(Samples({"loads": 0.002, "thread": 0.002, "saturated": 0.004}.get(mode, 0)), batch_size=BATCH,
                        num_workers=2 if mode in ("workers", "saturated") else 0)
    waited, code, counted, begin = 0, 0, 0, None
    workers, last = [], time.perf_counter()
    for x, y in loader:
        now = time.perf_counter()
        if begin is not None:
            waited += now - last
        if mode == "operators":
            x, y = x.repeat(64, 1), y.repeat(64, 1)
        loss = ((network(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        if mode in ("code", "workers"):
            before = time.perf_counter()
            busy(0.03)
            code += time.perf_counter() - before if begin is not None else 0
        optimizer.step()
        loss.item()
        counted += 1
        workers = workers or [child.pid for child in multiprocessing.active_children()]
        last = time.perf_counter()
        if counted == WARM:
            begin = last
    whole = last - begin
    return {"steps": counted, "step_ns": 1e9 * whole / (counted - WARM), "reader_pct": 100 * waited / whole,
            "code_pct": 100 * code / whole, "workers": workers, "pid": os.getpid()}


def run(folder, mode):
    with open(os.path.join(folder, f"{mode}.json"), "w", encoding="utf-8") as file:
        json.dump(train(mode), file)


def main(folder, *modes):
    torch.set_num_threads(1)
    for mode in modes:
        pid = os.fork()
        if pid == 0:
            if mode == "thread":
                thread = threading.Thread(target=run, args=(folder, mode))
                thread.start()
                thread.join()
            else:
                run(folder, mode)
            return
        if os.waitpid(pid, 0)[1]:
            sys.exit(f"{mode} failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
