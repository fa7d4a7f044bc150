# SPDX-License-Identifier: MIT
"""Run a script while PyTorch warns of every operation that waits for the device.

usage: warned.py OUT SCRIPT [ARGUMENT...]

At the end OUT holds one JSON list per place that was warned of: how often, and the frames from the
innermost outward as [file, line]. PyTorch decides what waits; explicit waits (synchronize()) are
none of its warnings."""
import collections
import json
import os
import runpy
import sys
import warnings

import torch

seen = collections.Counter()
OWN = os.path.abspath(__file__)


def frames():
    """Of what warned, without the machinery of warnings and of this file."""
    frame, places = sys._getframe(2), []
    while frame is not None:
        name = frame.f_code.co_filename
        if os.path.basename(name) not in ("warnings.py", "runpy.py") and name != OWN and name != "<frozen runpy>":
            places.append((os.path.abspath(name), frame.f_lineno))
        frame = frame.f_back
    return tuple(places)


def show(message, category, filename, lineno, file=None, line=None):
    if "called a synchronizing CUDA operation" in str(message):
        seen[frames()] += 1


def main():
    out, script = sys.argv[1:3]
    sys.argv = sys.argv[2:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    pid = os.getpid()
    torch.cuda.init()
    warnings.simplefilter("always")
    warnings.showwarning = show
    torch.cuda.set_sync_debug_mode("warn")
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        if os.getpid() == pid:
            with open(out, "w", encoding="utf-8") as file:
                for places, count in seen.items():
                    file.write(json.dumps([count, places]) + "\n")


if __name__ == "__main__":
    main()
