# SPDX-License-Identifier: MIT
"""Read the simulated device's own log of this process (CUDASIM_LOG)."""
import ctypes
import json
import os


def entries():
    """Every entry so far, as dictionaries; empty without a log."""
    path = os.environ.get("CUDASIM_LOG")
    if not path:
        return []
    ctypes.CDLL("libcuda.so.1").cudasim_dump_log()
    with open(path, encoding="utf-8") as file:
        found = [json.loads(line) for line in file if line.endswith("\n")]
    return [entry for entry in found if entry.get("pid") == os.getpid()]


def operations():
    """What the device did: kernels, copies, sets."""
    return [entry for entry in entries() if entry["type"] == "op"]


def uncomputed():
    """Names of kernels that ran without an effect, sorted."""
    return sorted({op["kernel"] for op in operations() if op.get("computed") is False})


def run_checks(checks):
    """Call each; a line for each that raises, and the closing line. Returns the exit status."""
    failed = 0
    for function in checks:
        try:
            function()
        except Exception as error:
            failed += 1
            print(f"not ok {function.__name__}: {type(error).__name__}: {str(error)[:600]}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0
