# SPDX-License-Identifier: MIT
"""A training with modules of many kinds; it notes itself which were called, how often and how long."""
import collections
import gc
import json
import sys
import threading
import time

import torch
from torch import nn

# PyTorch 1.13 calls no hook when a module fails.
ALWAYS = {"always_call": True} if "always_call" in nn.Module.register_forward_hook.__code__.co_varnames else {}

calls = collections.Counter()
times = collections.Counter()


class Noted(nn.Module):
    """Notes what the hooks of PyTorch tell about the modules below one."""

    def watch(self, root):
        open_ones = []
        for name, module in self.named_modules(remove_duplicate=True):
            path = root + ("." + name if name else "")

            def before(module, inputs, path=path):
                open_ones.append((path, time.perf_counter_ns()))

            def after(module, inputs, output, path=path):
                begun = open_ones.pop()
                assert begun[0] == path
                calls[path + " " + type(module).__name__] += 1
                times[path + " " + type(module).__name__] += time.perf_counter_ns() - begun[1]
            module.register_forward_pre_hook(before)
            module.register_forward_hook(after, **ALWAYS)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.first(x)) + self.first(x)


class Overrides(nn.Linear):
    def extra_repr(self):
        return "own"


class Net(Noted):
    def __init__(self, device):
        super().__init__()
        self.layers = nn.ModuleList([Block(64) for _ in range(3)])
        self.by_name = nn.ModuleDict({"head": nn.ModuleList([Overrides(64, 1)])})
        self.unused = nn.Linear(1, 1)
        self.not_a_module = None
        self.to(device)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        for _ in range(2):
            x = self.layers[0].act(x)      # another's, called from here
        return self.by_name["head"][0](x)


class Fails(Noted):
    def forward(self, x):
        raise ValueError("as it should")


def train(device, steps):
    net = Net(device)
    net.watch("Net")
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x, y = torch.ones(32, 64, device=device), torch.zeros(32, 1, device=device)
    for step in range(steps):
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        calls["MSELoss MSELoss"] += 1
        loss.backward()
        optimizer.step()
        if step == steps // 2:
            net.layers[1].act = nn.Sigmoid()
            net.layers[1].act.register_forward_hook(
                lambda *_: calls.update(["Net.layers.1.act Sigmoid"]))
    return loss.item()


def odd(device):
    """Exceptions, generators, threads, modules that come where others were."""
    fails = Fails()
    fails.watch("Fails")
    for _ in range(5):
        try:
            fails(torch.ones(1))
        except ValueError:
            calls["Fails Fails"] += not ALWAYS
    for number in range(40):
        several = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)) if number % 2 else nn.Sequential(nn.Linear(2, 2))
        several(torch.ones(2))
        calls["Sequential Sequential"] += 1
        for i in range(len(several)):
            calls["Sequential.%d Linear" % i] += 1
        del several
        gc.collect(0)
    shared = nn.Identity()

    def work():
        for _ in range(100):
            shared(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    calls["Identity Identity"] += 400


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print("%.6f" % train(device, 20))
    odd(device)
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            json.dump({"calls": calls, "times": times}, file)


if __name__ == "__main__":
    main()
