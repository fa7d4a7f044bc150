# SPDX-License-Identifier: MIT
"""A physics-informed network: sixty steps of Adam, then ten of LBFGS with its many evaluations each, as the papers do."""
# truth: class=gpu cause=device_compute steps=70 ahead=any
# truth: never=step-outlier|input-bound|launch-bound
# cudasim: CUDASIM_KERNELS=*=200us
import torch
from torch import nn
from stamps import Stamps

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1)).cuda()
nu = 0.01 / torch.pi
collocation = torch.rand(128, 2, device="cuda", requires_grad=True)
boundary = torch.rand(32, 2, device="cuda")
boundary_u = -torch.sin(torch.pi * boundary[:, :1])

def residual(xt):
    u = net(xt)
    du = torch.autograd.grad(u, xt, torch.ones_like(u), create_graph=True)[0]
    u_x, u_t = du[:, :1], du[:, 1:]
    u_xx = torch.autograd.grad(u_x, xt, torch.ones_like(u_x), create_graph=True)[0][:, :1]
    return u_t + u * u_x - nu * u_xx

def total_loss():
    return (residual(collocation) ** 2).mean() + ((net(boundary) - boundary_u) ** 2).mean()

adam = torch.optim.Adam(net.parameters(), lr=1e-3)
clock = Stamps()
for step in range(60):
    adam.zero_grad()
    loss = total_loss()
    loss.backward()
    adam.step()
    clock.step()
    if step % 20 == 19:
        print("adam", step, loss.item())

lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=8, history_size=10, line_search_fn="strong_wolfe")
def closure():
    lbfgs.zero_grad()
    loss = total_loss()
    loss.backward()
    return loss

for step in range(10):
    loss = lbfgs.step(closure)
    clock.step()
print("lbfgs", loss.item())
clock.end()
