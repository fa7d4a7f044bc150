"""Each step writes its norm to a file that all jobs of a sweep share, and waits for the lock that another one holds
most of the time."""
# truth: class=cpu cause=idle_blocked rule=host-blocked steps=60
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=100us
import fcntl
import os
import shutil
import tempfile
import time

import torch
from torch import nn

from stamps import Stamps


def other_job(path):
    """Rewrites its summary again and again under the lock."""
    with open(path, "a") as file:
        while os.getppid() != 1:
            fcntl.flock(file, fcntl.LOCK_EX)
            time.sleep(0.02)
            fcntl.flock(file, fcntl.LOCK_UN)
            time.sleep(0.002)


class SweepLog:
    def __init__(self, path):
        self.file = open(path, "a")

    def add(self, step, **values):
        fcntl.flock(self.file, fcntl.LOCK_EX)  # truth: here
        print(step, values, file=self.file, flush=True)
        fcntl.flock(self.file, fcntl.LOCK_UN)


folder = tempfile.mkdtemp()
path = os.path.join(folder, "sweep.log")
child = os.fork()
if child == 0:
    other_job(path)
    os._exit(0)
log = SweepLog(path)
model = nn.Sequential(nn.Linear(20, 64), nn.SiLU(), nn.Linear(64, 1)).cuda()
optimizer = torch.optim.Adam(model.parameters())
x = torch.randn(64, 20, device="cuda")
clock = Stamps()
for step in range(60):
    loss = (model(x) - x[:, :1]).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    norm = norm.item()
    clock.mark()
    log.add(step, norm=norm)
    clock.spent("idle_blocked")
    clock.step()
clock.end()
os.kill(child, 9)
os.waitpid(child, 0)
shutil.rmtree(folder)
