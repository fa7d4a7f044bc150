# SPDX-License-Identifier: MIT
"""A Triton kernel, launched through the driver. Prints what it asked the device for, for check_counts.py."""
import torch
import triton
import triton.language as tl

ROUNDS = 50


@triton.jit
def add_one_kernel(values, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    tl.store(values + offsets, tl.load(values + offsets, mask=mask) + 1, mask=mask)


values = torch.zeros(1 << 16, device="cuda")
for _ in range(ROUNDS):
    add_one_kernel[(triton.cdiv(values.numel(), 256),)](values, values.numel(), BLOCK=256)
assert values.mean().item() == ROUNDS
print("add_one_kernel", ROUNDS)
