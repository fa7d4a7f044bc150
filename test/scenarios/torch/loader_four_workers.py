# SPDX-License-Identifier: MIT
"""Four workers that keep up with the device."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound|input-single-process
# cudasim: CUDASIM_KERNELS=*=1ms
import torch
from stamps import Stamps
from torch.utils.data import DataLoader
from workload import Images, network, train_step


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Images(60 * 8, 0.0012), batch_size=8, num_workers=4, pin_memory=True)
    clock = Stamps()
    for step, x in enumerate(loader):
        clock.spent("idle_input")
        x = x.cuda(non_blocking=True)
        loss = train_step(model, optimizer, x, x.sum(1, keepdim=True))
        if step % 20 == 19:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
