# SPDX-License-Identifier: MIT
"""Launches from Python for counting instructions, the script's frame on top or a package's three.

usage: bench_place.py LIBRARY script|package N      package: its folder is in sys.path, bench_package
"""
import ctypes
import sys

library, way, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
launch = ctypes.CDLL(library).bench_launch
launch.argtypes = [ctypes.c_long]
if way == "package":
    import bench_package
    bench_package.outer(launch, count)
else:
    launch(count)
