# SPDX-License-Identifier: MIT
"""Trains with torch.compile, whose kernels Triton makes: train_compiled.py loads|computes|launches|graphs FILE

FILE gets what the program's own stop-watch says behind the first ten steps, as JSON."""
import json
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

STEPS, WARM, BATCH = 60, 10, 8


class Samples(Dataset):
    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, index):
        time.sleep(0.0025)
        return torch.ones(64), torch.ones(1)


def train(mode, path):
    torch.manual_seed(0)
    deep = 12 if mode in ("launches", "graphs") else 2
    layers = [part for _ in range(deep) for part in (nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64))]
    model = nn.Sequential(*layers, nn.Linear(64, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)

    def loss_of(x, y):
        return nn.functional.mse_loss(model(x), y)

    compiled = torch.compile(loss_of, mode="reduce-overhead" if mode == "graphs" else None)
    batch = torch.ones(BATCH, 64, device="cuda"), torch.ones(BATCH, 1, device="cuda")
    loader = DataLoader(Samples(), BATCH, num_workers=1) if mode == "loads" else [batch] * STEPS
    counted, waited, begin, last = 0, 0, None, time.perf_counter()
    for x, y in loader:
        waited += time.perf_counter() - last if begin else 0
        compiled(x.cuda(), y.cuda()).backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        counted += 1
        last = time.perf_counter()
        if counted == WARM:
            begin = last
    whole = last - begin
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"steps": counted, "step_ns": 1e9 * whole / (counted - WARM), "reader_pct": 100 * waited / whole}, file)


if __name__ == "__main__":
    train(*sys.argv[1:])
    print("trained")
