# SPDX-License-Identifier: MIT
"""Each step waits for a large copy out of ordinary (pageable) memory."""
# truth: cause=device_copy
# cudasim: CUDASIM_COPY=pageable=0.2GB/s CUDASIM_KERNELS=*=20us
import torch
from torch import nn

STEPS = 70


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    batches = [torch.randn(64, 64 * 128) for _ in range(4)]  # 2 MiB each
    for step in range(STEPS):
        x = batches[step % 4].to("cuda")  # sync
        x = x[:, ::128]
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}")


main()
