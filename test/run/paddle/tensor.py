# SPDX-License-Identifier: MIT
"""Reads values of the stand-in's tensors, and is refused some: tensor.py LIBRARY"""
import ctypes
import sys

library = ctypes.PyDLL(sys.argv[1])
library.tensor_type.restype = ctypes.py_object
tensor = library.tensor_type()()
item = getattr(tensor, "_getitem_from_offset", None) or tensor.read
read = refused = 0
for step in range(30):
    read += item() == 0.25  # item
    read += tensor.numpy() == 0.25  # numpy
    read += tensor.size() == 0.25
for step in range(10):
    try:
        item(step)
        tensor.numpy()
    except MemoryError:
        refused += 1
for step in range(10):
    try:
        tensor.numpy(step)
    except MemoryError:
        continue
library.train(1, 0, 0)
print(f"read {read}, refused {refused}")
