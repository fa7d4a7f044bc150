# SPDX-License-Identifier: MIT
"""Pinned memory, copies that do not wait, and a device that computes all the time: nothing to mend."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound|copy-pageable-async|copy-sync-large|copy-not-overlapped
# cudasim: CUDASIM_KERNELS=*=800us
import torch
from stamps import Stamps
from workload import network, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    batches = [torch.randn(64, 32).pin_memory() for _ in range(6)]
    clock = Stamps()
    for step in range(60):
        x = batches[step % 6].to("cuda", non_blocking=True)
        loss = train_step(model, optimizer, x, x.sum(1, keepdim=True))
        if step % 20 == 19:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
