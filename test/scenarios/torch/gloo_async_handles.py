# SPDX-License-Identifier: MIT
"""Gradients are reduced over gloo with async_op, hooks collect the handles; the peer is slow at each step."""
# truth: class=cpu cause=idle_blocked rule=host-blocked steps=40
# truth: never=launch-bound|input-bound|gpu-bound
# cudasim: CUDASIM_KERNELS=*=60us
import os
import shutil
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn

from stamps import Stamps


class Reducer:
    def __init__(self, model):
        self.model, self.pending = model, []

    def launch(self):
        for p in self.model.parameters():
            host = p.grad.cpu()
            self.pending.append((p, host, dist.all_reduce(host, async_op=True)))

    def finish(self):
        for p, host, work in self.pending:
            work.wait()  # truth: here
            p.grad.copy_(host / dist.get_world_size())
        self.pending.clear()


def worker(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=2)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()
    opt, reducer = torch.optim.SGD(model.parameters(), lr=0.01), Reducer(model)
    x = torch.randn(16, 8, device="cuda")
    clock = Stamps()
    for _ in range(40):
        if rank:
            time.sleep(0.018)
        loss = model(x).square().mean()
        opt.zero_grad()
        loss.backward()
        reducer.launch()
        reducer.finish()
        opt.step()
        clock.step()
    if not rank:
        clock.end()
    dist.destroy_process_group()


folder = tempfile.mkdtemp()
pid = os.fork()
worker(0 if pid else 1, folder)
if not pid:
    os._exit(0)
os.waitpid(pid, 0)
shutil.rmtree(folder)
