# SPDX-License-Identifier: MIT
"""As it should be: workers, pinned memory, copies that do not wait, a log line every 50 steps."""
# truth: class=gpu cause=device_compute
# cudasim: CUDASIM_KERNELS=*=800us
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

STEPS = 100


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(STEPS * 16, 32)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    loader = DataLoader(data, batch_size=16, num_workers=2, pin_memory=True, prefetch_factor=8)
    for step, (x, y) in enumerate(loader):
        x, y = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 50 == 49:
            print(f"step {step + 1} loss {loss.item():.4f}")


main()
