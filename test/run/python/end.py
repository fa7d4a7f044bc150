# SPDX-License-Identifier: MIT
"""Ends while daemon threads, exit handlers and destructors still ask for their place."""
import atexit
import ctypes
import sys
import threading
import time

probe = ctypes.CDLL(sys.argv[1])
held = ctypes.PyDLL(sys.argv[1])
probe.probe_attach()


class Late:
    def __del__(self, repeat=held.probe_repeat):
        repeat(10)


def work():
    while True:
        probe.probe_repeat(20000)


late = Late()
sys.late = Late()
atexit.register(lambda: probe.probe_repeat(10))
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
print("place" if probe.probe_repeat(10) else "none")
