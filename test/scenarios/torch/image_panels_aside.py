# SPDX-License-Identifier: MIT
"""Every fifth step a panel of images goes to pinned memory, and a thread waits for it, packs it and writes it: sound."""
# truth: class=gpu cause=device_compute steps=60 ahead=yes
# truth: never=launch-bound|input-bound|host-blocked|host-gil|sync-explicit|sync-tensor-to-host|step-outlier|copy-not-overlapped|host-python
# cudasim: CUDASIM_KERNELS=*=900us
import os
import queue
import tempfile
import threading
import zlib

import torch
from stamps import Stamps
from torch import nn


def write_panels(panels, folder):
    while (item := panels.get()) is not None:
        step, panel, copied = item
        copied.synchronize()
        with open(os.path.join(folder, f"{step:05}.bin"), "wb") as file:
            file.write(zlib.compress(panel.numpy().tobytes()))


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.ReLU(),
                          nn.Flatten(), nn.LazyLinear(10)).cuda()
    images = torch.randint(0, 256, (8, 3, 64, 64), dtype=torch.uint8).cuda()
    labels = torch.randint(0, 10, (8,)).cuda()
    model(images[..., ::4, ::4].float())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    panels, losses = queue.Queue(), []
    with tempfile.TemporaryDirectory() as folder:
        writer = threading.Thread(target=write_panels, args=(panels, folder))
        writer.start()
        clock = Stamps()
        for step in range(60):
            x = images[..., ::4, ::4].float().mul_(1 / 255)
            loss = nn.functional.cross_entropy(model(x), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
            if step % 5 == 0:
                panel, copied = torch.empty(images.shape, dtype=images.dtype, pin_memory=True), torch.cuda.Event()
                panel.copy_(images, non_blocking=True)
                copied.record()
                panels.put((step, panel, copied))
            clock.step()
        clock.end()
        panels.put(None)
        writer.join()
    print(f"mean loss {torch.stack(losses).mean().item():.4f}")


main()
