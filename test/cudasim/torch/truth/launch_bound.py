# SPDX-License-Identifier: MIT
"""Very many very small kernels: launching them takes longer than running them."""
# truth: class=cpu cause=idle_launch
# cudasim: CUDASIM_KERNELS=*=2us
import torch

STEPS = 70


def main():
    torch.manual_seed(0)
    weights = [torch.full((16,), 1.0 + i / 1000, device="cuda", requires_grad=True) for i in range(24)]
    optimizer = torch.optim.SGD(weights, lr=1e-4, foreach=False)
    x = torch.ones(16, device="cuda")
    for _ in range(STEPS):
        y = x
        for weight in weights:
            y = torch.tanh(y * weight + 0.01)
        loss = (y - 0.5).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}")


main()
