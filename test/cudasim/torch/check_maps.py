# SPDX-License-Identifier: MIT
"""Fail if a vendor library of this process does not come from the simulated device's folder."""
import os
import re
import sys

import torch

VENDOR = re.compile(r"/lib(cu[a-zA-Z]*|nccl|nvrtc\S*|nvshmem_host|nvJitLink|nvidia\S*)\.so[.\d]*$")


def main():
    home = os.path.realpath(os.environ["LD_LIBRARY_PATH"].split(":")[0])
    torch.zeros(1, device="cuda").cpu()
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split(None, 5)[5].strip() for line in maps if "/" in line}
    vendor = {path for path in paths if VENDOR.search(path)}
    foreign = sorted(path for path in vendor if os.path.dirname(os.path.realpath(path)) != home)
    for path in foreign:
        print(f"not the simulated device's: {path}")
    print(f"torch {torch.__version__}: {len(vendor)} vendor libraries, {len(foreign)} foreign")
    return 1 if foreign or not vendor else 0


if __name__ == "__main__":
    sys.exit(main())
