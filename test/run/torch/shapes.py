# SPDX-License-Identifier: MIT
"""Operators with inputs of many kinds, a part of them noted by PyTorch's profiler: shapes.py [FILE]

FILE gets what the profiler noted, as JSON: name, sizes and types of each operator's inputs; and what it counts of
floating-point operations, by name and sizes."""
import json
import os
import sys
import tempfile
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


class Wrapped(torch.Tensor):
    """A tensor without a storage of its own, whose sizes PyTorch asks this class for."""

    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.size(), dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        def bare(value):
            return value.inner if isinstance(value, cls) else value
        return function(*[bare(value) for value in args], **(kwargs or {}))


def attempt(function):
    """What PyTorch of this version does not have is left out."""
    try:
        print(function.__name__, function())
    except (AttributeError, ImportError, NotImplementedError, TypeError, RuntimeError) as error:
        print(function.__name__, type(error).__name__)


def sparse():
    return torch.sparse.sum(torch.eye(5).to_sparse() + torch.eye(5).to_sparse()).item()


def nested():
    return torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)]).to_padded_tensor(0.0).shape


def quantized():
    return torch.quantize_per_tensor(torch.ones(3, 4), 0.1, 0, torch.quint8).dequantize().sum().item()


def wrapped():
    return (Wrapped(torch.ones(4, 2)) * 2).sum().item()


def fake():
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode():
        return (torch.ones(3, 7) @ torch.ones(7, 2)).shape


def symbolic():
    from torch.fx.experimental.proxy_tensor import make_fx
    return len(make_fx(lambda x: (x.view(-1) + 1).sum(), tracing_mode="symbolic")(torch.ones(6, 7)).code) > 0


def long():
    return len(torch._foreach_mul([torch.ones(i % 7 + 1) for i in range(5000)], 2.0))  # too long a list


def batched():
    try:
        from torch.func import vmap
    except ImportError:
        from functorch import vmap
    return vmap(torch.dot)(torch.ones(3, 5), torch.ones(3, 5)).sum().item()


def meta():
    return (torch.ones(8, 9, device="meta") @ torch.ones(9, 2, device="meta")).shape


def inference():
    with torch.inference_mode():
        return torch.ones(2, 2).mul(2).sum().item()


def odd():
    for function in (sparse, nested, quantized, wrapped, fake, symbolic, batched, meta, inference, long):
        attempt(function)


def train(device, steps):
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 5)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    for step in range(steps):
        x = torch.ones(2 + step % 3, 1, 8, 8, device=device)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), torch.zeros(len(x), dtype=torch.long, device=device))
        loss.backward()
        optimizer.step()
    return loss.item()


def operate():
    """The profiler has no list of more than 30."""
    x = torch.arange(24.0).reshape(2, 3, 4)
    y = torch.cat([x, x.half().float(), x], 1)[torch.tensor([0, 1]), torch.tensor([0, 1])]
    z = torch.ones(2, 1, 2, 1, 2, 1, 3).sum((0, 6)) + torch.ones((), dtype=torch.float64)
    v = torch.baddbmm(torch.ones(2, 3, 5), x, torch.bmm(torch.ones(2, 4, 4), torch.ones(2, 4, 5))).mul_(0.5)
    w = torch.stack([torch.zeros(0, 3)] * 20).to(torch.bfloat16).bool()
    u = torch._foreach_mul([torch.ones(i % 4 + 1) for i in range(20)], 2.0)
    return y.sum().item(), z.sum().item(), v.sum().item(), w.any().item(), len(u), torch.ones(3, dtype=torch.uint8).to(torch.int32).sum().item()


def profile(device, path):
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, record_shapes=True, with_flops=True) as profiler:
        with torch.profiler.record_function("the region"):
            print("%.4f" % train(device, 6), operate())
    with tempfile.TemporaryDirectory() as folder:
        profiler.export_chrome_trace(os.path.join(folder, "trace"))
        with open(os.path.join(folder, "trace"), encoding="utf-8") as file:
            whole = json.load(file)
    if isinstance(whole, dict):
        noted = [(event["name"], event["args"].get("Input Dims", []), event["args"].get("Input type", []))
                 for event in whole["traceEvents"] if event.get("cat") == "cpu_op"]
    else:  # PyTorch without Kineto tells less
        noted = [(event.name, event.input_shapes, None) for event in profiler.events()
                 if event.name != "the region" and "#" not in event.name]
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"torch": torch.__version__, "events": noted,
                       "flops": [(event.name, event.input_shapes, event.flops) for event in profiler.events()
                                 if event.flops]}, file)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    odd()
    print("%.4f" % train(device, 4))
    profile(device, sys.argv[1] if len(sys.argv) > 1 else None)
    odd()
    print(sum(len(torch.empty(size).view(1, -1)) for size in range(1, 13001)))  # more than are kept


if __name__ == "__main__":
    main()
