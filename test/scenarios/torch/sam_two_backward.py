# SPDX-License-Identifier: MIT
"""Sharpness-aware minimisation: two forward and backward passes a step, the climb and the descent looped over parameters."""
# truth: class=gpu cause=device_compute steps=60 ahead=any
# truth: never=launch-bound|sync-scalar-read|host-python
# cudasim: CUDASIM_KERNELS=*=250us
import torch
from torch import nn
from stamps import Stamps

class SAM(torch.optim.Optimizer):
    def __init__(self, params, base_optimizer, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base_optimizer = base_optimizer(self.param_groups, **kwargs)
        self.param_groups = self.base_optimizer.param_groups

    @torch.no_grad()
    def first_step(self, zero_grad=False):
        grad_norm = self._grad_norm()
        for group in self.param_groups:
            scale = group["rho"] / (grad_norm + 1e-12)
            for p in group["params"]:
                if p.grad is None:
                    continue
                self.state[p]["old_p"] = p.data.clone()
                p.add_(p.grad * scale.to(p))
        if zero_grad:
            self.zero_grad()

    @torch.no_grad()
    def second_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.data = self.state[p]["old_p"]
        self.base_optimizer.step()
        if zero_grad:
            self.zero_grad()

    def _grad_norm(self):
        return torch.norm(torch.stack([p.grad.norm(p=2) for g in self.param_groups for p in g["params"]]), p=2)

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.LayerNorm(48), nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 5)).cuda()
optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.05, momentum=0.9)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
inputs = torch.randn(512, 24).cuda()
targets = torch.randint(0, 5, (512,)).cuda()
clock = Stamps()
for epoch in range(4):
    order = torch.randperm(512, device="cuda")
    running = torch.zeros((), device="cuda")
    for i in range(15):
        pick = order[i * 32:(i + 1) * 32]
        x, y = inputs[pick], targets[pick]
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.first_step(zero_grad=True)
        criterion(model(x), y).backward()
        optimizer.second_step(zero_grad=True)
        running += loss.detach()
        clock.step()
    print("epoch", epoch, "loss", running.item() / 15)
clock.end()
