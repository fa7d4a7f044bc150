# SPDX-License-Identifier: MIT
"""An ensemble: in each step two threads train a member each and are joined; joining is no wait for data."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=800us
import threading

import torch
from stamps import Stamps
from workload import network, regression, train_step


def train_member(member, batch, losses, index):
    model, optimizer = member
    losses[index] = train_step(model, optimizer, *batch)


def main():
    models = [network(), network()]
    members = [(model, torch.optim.SGD(model.parameters(), lr=0.01)) for model in models]
    batch, losses = regression(), [None, None]
    clock = Stamps()
    for step in range(60):
        threads = [threading.Thread(target=train_member, args=(member, batch, losses, i))
                   for i, member in enumerate(members)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if step % 10 == 9:
            print(f"losses {losses[0].item():.3f} {losses[1].item():.3f}")
        clock.step()
    clock.end()


main()
