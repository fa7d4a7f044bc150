# SPDX-License-Identifier: MIT
"""Whole training features: convolutions, mixed precision, loaders with workers, the profiler."""
import sys
import tempfile

import simlog
import torch
import torch.distributed
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def digits(count):
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(count, 1, 12, 12, generator=gen)
    return x, (x.mean((1, 2, 3)) > 0).long()


def small_net():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 2),
    )


def train_images(device):
    model = small_net().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = (t.to(device) for t in digits(32))
    found = []
    for _ in range(15):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@check
def convolutions_train_as_on_the_cpu():
    here, there = train_images("cpu"), train_images("cuda")
    worst = max(abs(a - b) / abs(a) for a, b in zip(here, there))
    assert worst < 1e-3 and here[-1] < here[0], (here, there)


@check
def convolutions_without_cudnn():
    x, conv = digits(4)[0], nn.Conv2d(1, 3, 3)
    with torch.backends.cudnn.flags(enabled=False):
        there = conv.cuda()(x.cuda()).cpu()
    assert torch.allclose(there, conv.cpu()(x), atol=1e-5)


def train_mixed(kind):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda", init_scale=1024.0, enabled=kind is torch.float16)
    x = torch.randn(64, 8)
    x, y = x.cuda(), (x @ torch.randn(8, 1)).cuda()
    found = []
    for _ in range(30):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=kind):
            loss = F.mse_loss(model(x).float(), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        found.append(loss.item())
    return found, scaler.get_scale()


@check
def half_precision_with_scaler():
    found, scale = train_mixed(torch.float16)
    assert found[-1] < 0.3 * found[0], found
    assert scale == 1024.0, scale


@check
def bfloat16_without_scaler():
    found, _ = train_mixed(torch.bfloat16)
    assert found[-1] < 0.3 * found[0], found


@check
def scaler_sees_infinities():
    weight = torch.ones(4, device="cuda", requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("cuda", init_scale=1024.0)
    scaler.scale((weight * float("inf")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert weight.tolist() == [1.0] * 4 and scaler.get_scale() == 512.0


@check
def loader_with_workers_and_pinning():
    x, y = digits(64)
    loader = DataLoader(TensorDataset(x, y), batch_size=16, num_workers=2, pin_memory=True)
    seen = 0
    for a, b in loader:
        assert a.is_pinned() and b.is_pinned()
        a, b = a.to("cuda", non_blocking=True), b.to("cuda", non_blocking=True)
        seen += int((a.mean((1, 2, 3)) > 0).long().eq(b).sum())
    assert seen == 64


@check
def gradients_are_clipped():
    model = nn.Linear(4, 4).cuda()
    (model(torch.ones(2, 4, device="cuda")) * 100).sum().backward()
    before = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
    after = sum(p.grad.pow(2).sum() for p in model.parameters()).sqrt().item()
    assert before > 1 and abs(after - 1) < 1e-3, (before, after)


@check
def a_transformer_layer_runs():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    x = torch.randn(2, 5, 16)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        here = layer(x)
        layer.cuda()
        there = layer(x.cuda())
        there.sum().backward()
    assert torch.allclose(here, there.cpu(), atol=1e-4)


@check
def the_profiler_runs():
    model = nn.Linear(16, 4).cuda()
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        model(torch.randn(8, 16).cuda()).relu().sum().backward()
        torch.cuda.synchronize()
    assert any("addmm" in event.key for event in profile.key_averages())


@check
def one_rank_trains_distributed():
    with tempfile.TemporaryDirectory() as folder:
        torch.distributed.init_process_group("nccl", init_method=f"file://{folder}/meet", rank=0, world_size=1)
        model = nn.parallel.DistributedDataParallel(nn.Linear(4, 2).cuda(), device_ids=[0])
        model(torch.ones(3, 4, device="cuda")).sum().backward()
        total = torch.full((5,), 2.0, device="cuda")
        torch.distributed.all_reduce(total)
        gradient = model.module.weight.grad.tolist()
        torch.distributed.destroy_process_group()
    assert gradient == [[3.0] * 4] * 2 and total.tolist() == [2.0] * 5


@check
def every_kernel_has_an_effect():
    assert simlog.operations(), "no log: set CUDASIM_LOG"
    assert not simlog.uncomputed(), simlog.uncomputed()


def main():
    failed = 0
    for function in CHECKS:
        try:
            function()
        except Exception as error:
            failed += 1
            print(f"not ok {function.__name__}: {type(error).__name__}: {str(error)[:400]}")
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
