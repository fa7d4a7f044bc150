# SPDX-License-Identifier: MIT
"""Infers with the stand-in's methods on batches that another process sends: infer.py MODULE"""
import ctypes
import os
import sys
import time

STEPS = 40

library = ctypes.PyDLL(sys.argv[1])
library.method_of.restype = ctypes.py_object
run, bound, other = (library.method_of(name, factor) for name, factor in
                     ((b"run", 3), (b"run_with_iobinding", 5), (b"get_inputs", 7)))
source, sink = os.pipe()
if os.fork() == 0:
    for batch in range(STEPS):
        time.sleep(0.004)
        os.write(sink, b"batch")
    os._exit(0)
total = refused = 0
for batch in range(STEPS):
    os.read(source, 5)
    total += run(batch)  # step
total += bound(1) + other(1)
try:
    run()
except ValueError:
    refused += 1
os.wait()
print(f"total {total}, refused {refused}")
