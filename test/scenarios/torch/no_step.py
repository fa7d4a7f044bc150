# SPDX-License-Identifier: MIT
"""A script that asks whether the device works, and trains nothing."""
# truth: class=none cause=none steps=0
# cudasim: CUDASIM_KERNELS=*=300us
import torch
from stamps import Stamps


def main():
    clock = Stamps()
    a = torch.randn(64, 64, device="cuda")
    b = torch.randn(64, 64, device="cuda")
    print(f"{torch.cuda.get_device_name()}: {(a @ b).sum().item():.3f}, {a.sort().values.mean().item():.3f}")
    clock.end()


main()
