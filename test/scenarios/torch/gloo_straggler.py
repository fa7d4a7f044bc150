"""Two processes average their gradients over gloo by hand; the other one is late with each batch."""
# truth: class=cpu cause=idle_blocked rule=host-blocked steps=40
# truth: never=launch-bound|input-bound|gpu-bound|sync-tensor-to-host
# cudasim: CUDASIM_KERNELS=*=80us
import os
import shutil
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn

from stamps import Stamps


def average_gradients(model):
    flat = torch.cat([p.grad.flatten() for p in model.parameters()]).cpu()
    dist.all_reduce(flat)  # truth: here
    flat = (flat / dist.get_world_size()).cuda()
    first = 0
    for p in model.parameters():
        p.grad.copy_(flat[first:first + p.numel()].view_as(p))
        first += p.numel()


def train(rank):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    torch.manual_seed(rank)
    model = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    clock = Stamps()
    for step in range(40):
        if rank == 1:
            time.sleep(0.02)
        x = torch.randn(32, 24, device="cuda")
        loss = (model(x) - x.mean(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        average_gradients(model)
        optimizer.step()
        clock.step()
    if rank == 0:
        clock.end()
    dist.destroy_process_group()


folder = tempfile.mkdtemp()
child = os.fork()
train(1 if child == 0 else 0)
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
shutil.rmtree(folder)
