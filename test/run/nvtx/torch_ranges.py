# SPDX-License-Identifier: MIT
"""Ranges of torch.cuda.nvtx and operators under emit_nvtx on the CPU and the device; prints what should be in the
trace: "range DOMAIN|NAME|PAYLOAD|FLAGS|CATEGORY", "operator NAME", "place FILE:LINE"."""
import inspect

import torch
from torch.cuda import nvtx

places = set()


def line():
    places.add(f"torch_ranges.py:{inspect.currentframe().f_back.f_lineno}")


def said(name, flags=""):
    print(f"range |{name}|0|{flags}|0")


line(); level = nvtx.range_push("outer")
line(); inner = nvtx.range_push("inner é")
assert (level, inner) == (0, 1), (level, inner)
assert nvtx.range_pop() == 1
said("inner é")
line(); nvtx.mark("a mark")
said("a mark", "mark")
line(); started = nvtx.range_start("overlapping")
assert nvtx.range_pop() == 0
said("outer")
nvtx.range_end(started)
said("overlapping", "started")

device = torch.ones(8, 8, device="cuda")
with torch.autograd.profiler.emit_nvtx():
    for step in range(3):
        line(); device = torch.mm(device, device) / 8
        print("operator aten::mm")
torch.cuda.synchronize()
for place in sorted(places):
    print("place", place)
