# SPDX-License-Identifier: MIT
"""How many of so many operators PyTorch has callbacks for, as PyTorch itself tells: a C++ optional, of which hardly
anything is written when it is empty."""
import ctypes
import os

import torch

CALLS, ROOM, FILL = 1000, 1024, b"\x55"


def called_back():
    callbacks = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")) \
        ._ZN2at27getStepCallbacksUnlessEmptyENS_11RecordScopeE
    callbacks.restype = None
    found = 0
    for _ in range(CALLS):
        room = ctypes.create_string_buffer(FILL * ROOM, ROOM)
        callbacks(room, ctypes.c_uint8(0))
        found += sum(byte != FILL for byte in room) > 16
    return found
