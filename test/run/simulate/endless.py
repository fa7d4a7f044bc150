"""A training that nobody ends: what it prints and closes shows how it was ended."""
import atexit

import torch
from torch import nn


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    atexit.register(print, "closed")
    model = nn.Linear(8, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step = 0
    try:
        while True:
            loss = model(torch.randn(4, 8).cuda()).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            try:
                print("step", step)  # kept back until the end: nobody sees a line at a time
            except Exception:
                pass
    finally:
        print("finally")


main()
