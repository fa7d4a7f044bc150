# SPDX-License-Identifier: MIT
"""Mixed precision by hand: the scaler's scale is asked for before and after, to see whether the step was skipped."""
# truth: class=cpu cause=idle_sync rule=sync-scalar-read|sync-amp-scaler steps=60|58|59
# truth: never=launch-bound|input-bound
# cudasim: CUDASIM_KERNELS=*=400us
import torch
from stamps import Stamps
from torch import nn
from workload import compute, network, regression


def main():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 20)
    scaler = torch.amp.GradScaler("cuda")
    x, y = regression()
    skipped = 0
    clock = Stamps()
    for _ in range(60):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        before = scaler.get_scale()  # truth: or here
        scaler.step(optimizer)  # truth: or here
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        if scaler.get_scale() < before:  # truth: or here
            skipped += 1
        else:
            scheduler.step()
        compute(9)  # captions of the next batch
        clock.step()
    clock.end()


main()
