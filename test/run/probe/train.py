# SPDX-License-Identifier: MIT
"""A small training loop on the CPU, and an operator that throws."""
import torch

try:
    torch.zeros(3).view(7)
except RuntimeError:
    print("caught")
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    data = torch.randn(16, 32)
    optimizer.zero_grad()
    loss = (model(data) ** 2).mean()
    loss.backward()
    optimizer.step()
    loss.item()
