# SPDX-License-Identifier: MIT
"""The checks of torch.profiler's own trace (test/cudasim/torch/profiler.py) in the middle of a run that is traced."""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cudasim" / "torch"))
import profiler  # noqa: E402

steps = profiler.work()
steps()
status = profiler.main()
time.sleep(0.6)
steps()
sys.exit(status)
