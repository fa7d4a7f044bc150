# SPDX-License-Identifier: MIT
"""A forward pass with a dummy input initialises the lazy layers before the first batch is drawn."""
# truth: class=gpu cause=device_compute steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=600us
import torch
from stamps import Stamps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from workload import train_step


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.LazyLinear(64), nn.ReLU(), nn.LazyLinear(1)).cuda()
    model(torch.zeros(2, 32, device="cuda"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(60 * 16, 32)
    loader = DataLoader(TensorDataset(data, data.sum(1, keepdim=True)), batch_size=16, pin_memory=True)
    clock = Stamps()
    for step, (x, y) in enumerate(loader):
        clock.spent("idle_input")
        x, y = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)
        loss = train_step(model, optimizer, x, y)
        if step % 20 == 19:
            print(f"loss {loss.item():.4f}")
        clock.step()
    clock.end()


main()
