# SPDX-License-Identifier: MIT
"""Prints how often each named range occurs in all traces of a folder: count.py FOLDER NAME..."""
import collections
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../scripts"))
import read_trace

names = collections.Counter()
for path in glob.glob(sys.argv[1] + "/*.zst"):
    names.update(event.get("name") for event in read_trace.Trace(path).events())
print(" ".join(str(names[name]) for name in sys.argv[2:]))
