# SPDX-License-Identifier: MIT
"""Convolutions, normalisations and pools through cuDNN and without: values, gradients, training."""
import sys

import simlog
import torch
import torch.nn.functional as F
from torch import nn

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def pass_both_ways(module, device, x):
    """Output and all gradients."""
    module = module.to(device)
    module.zero_grad()
    x = x.to(device).detach().requires_grad_()
    y = module(x)
    (y * torch.arange(y.numel(), device=device).view_as(y).sin()).sum().backward()
    found = [y, x.grad, *(p.grad for p in module.parameters()), *(b.float() for b in module.buffers())]
    return [t.detach().cpu().clone() for t in found]


def same(module, *shape, limit=2e-4):
    torch.manual_seed(1)
    x = torch.randn(shape)
    state = {name: value.clone() for name, value in module.state_dict().items()}
    here = pass_both_ways(module, "cpu", x)
    module.load_state_dict(state)
    for a, b in zip(here, pass_both_ways(module, "cuda", x), strict=True):
        worst = (a - b).abs().max().item()
        assert worst < limit, f"{module} off by {worst}"


@check
def convolutions_and_their_gradients():
    same(nn.Conv2d(3, 8, 3), 2, 3, 9, 9)
    same(nn.Conv2d(3, 4, (3, 2), stride=2, padding=(1, 0), dilation=(1, 2)), 2, 3, 9, 10)
    same(nn.Conv2d(4, 8, 3, groups=2, bias=False), 2, 4, 7, 7)
    same(nn.Conv2d(4, 4, 3, groups=2, padding="same"), 1, 4, 6, 6)
    same(nn.Conv1d(3, 5, 3), 2, 3, 11)
    same(nn.Conv3d(2, 3, 2), 1, 2, 4, 5, 4)


@check
def convolutions_larger_than_a_block():
    same(nn.Conv2d(40, 20, 3, padding=1), 1, 40, 70, 65, limit=2e-3)
    same(nn.Conv2d(8, 100, (5, 1), stride=(1, 2), padding=(4, 0)), 2, 8, 12, 40, limit=2e-3)


@check
def transposed_convolutions():
    same(nn.ConvTranspose2d(3, 4, 3, stride=2, output_padding=1), 2, 3, 5, 5)
    same(nn.ConvTranspose1d(2, 3, 4), 2, 2, 6)


@check
def batch_normalisation():
    same(nn.BatchNorm2d(3), 4, 3, 5, 5)
    same(nn.BatchNorm1d(6), 8, 6)
    module, x = nn.BatchNorm2d(3).eval(), torch.randn(4, 3, 5, 5)
    with torch.no_grad():
        module.running_mean.add_(0.5)
        assert torch.allclose(module(x), module.cuda()(x.cuda()).cpu(), atol=1e-5)


@check
def pools():
    same(nn.MaxPool2d(2), 2, 3, 8, 8)
    same(nn.AdaptiveAvgPool2d(1), 2, 3, 8, 8)


@check
def channels_last_and_half():
    torch.manual_seed(1)
    conv, x = nn.Conv2d(3, 8, 3, padding=1), torch.randn(2, 3, 8, 8)
    here = conv(x)
    there = conv.cuda()(x.cuda().to(memory_format=torch.channels_last))
    assert torch.allclose(here, there.cpu(), atol=1e-5)
    there = conv.half()(x.cuda().half()).float().cpu()
    assert torch.allclose(here, there, atol=1e-2)


@check
def the_same_without_cudnn():
    with torch.backends.cudnn.flags(enabled=False):
        same(nn.Conv2d(3, 8, 3, stride=2), 2, 3, 9, 9)


def network():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 12, 3, bias=False), nn.BatchNorm2d(12), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(12, 2))


def losses(device):
    """Tell upright from lying bars."""
    model = network().to(device)
    gen = torch.Generator().manual_seed(1)
    x = 0.2 * torch.randn(24, 1, 10, 10, generator=gen)
    for i in range(24):
        x[i, 0, (i * 3) % 10, :] += i % 2
        x[i, 0, :, (i * 3) % 10] += 1 - i % 2
    x, y = x.to(device), (torch.arange(24) % 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    found = []
    for _ in range(12):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@check
def a_network_learns():
    here, there = losses("cpu"), losses("cuda")
    worst = max(abs(a - b) for a, b in zip(here, there))
    print(f"loss {there[0]:.4f} to {there[-1]:.4f}, off the CPU by at most {worst:.1e}")
    assert worst < 5e-3 and there[-1] < 0.5 * there[0], (here, there)


def digits(device):
    """The network of PyTorch's MNIST example, on noise."""
    torch.manual_seed(3)
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10))
    x, y = torch.randn(4, 1, 28, 28).to(device), torch.arange(4).to(device)
    model, found = model.to(device), []
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    for _ in range(4):
        optimizer.zero_grad()
        loss = F.nll_loss(F.log_softmax(model(x), dim=1), y)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@check
def the_network_for_digits_learns():
    here, there = digits("cpu"), digits("cuda")
    assert all(abs(a - b) < 1e-4 * abs(a) for a, b in zip(here, there)), (here, there)


@check
def a_captured_network_replays():
    model, x = network().cuda().eval(), torch.randn(2, 1, 10, 10).cuda()
    with torch.no_grad():
        for _ in range(2):
            model(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model(x)
        for _ in range(3):
            x.add_(0.5)
            graph.replay()
            assert torch.equal(y, model(x))
    nodes = [op for op in simlog.operations() if "graph" in op]
    assert len(nodes) % 3 == 0 and any("conv" in op["kernel"] or "fprop" in op["kernel"] for op in nodes)
    assert {op["node"] for op in nodes} == set(range(1, len(nodes) // 3 + 1)), "each node, each time"


@check
def every_kernel_has_an_effect():
    names = {op.get("kernel", "") for op in simlog.operations()}
    for part in ("cudnn_fprop", "cudnn_dgrad", "cudnn_wgrad", "cudnn_bn_fw_training", "cudnn_bn_bw"):
        assert any(part in name for name in names), f"no {part}"
    assert not simlog.uncomputed(), simlog.uncomputed()


if __name__ == "__main__":
    sys.exit(simlog.run_checks(CHECKS))
