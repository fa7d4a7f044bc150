# SPDX-License-Identifier: MIT
"""Ranges that are recorded though PyTorch was never told to call anybody back for them, also beside a profiler, and
none twice. Prints how many of them the profiler has."""
import threading

import torch
from torch.autograd.profiler import record_function

CALLS = 50


def ranges(name):
    for _ in range(CALLS):
        with record_function(name):
            torch.ones(2).add(1)


def unheard():
    torch._C._autograd._enable_record_function(False)
    ranges("unheard")
    torch._C._autograd._enable_record_function(True)


ranges("alone")
unheard()
thread = threading.Thread(target=unheard)
thread.start()
thread.join()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
    ranges("beside")
ranges("behind")
print(sum(event.count for event in profile.key_averages() if event.key == "beside"))
