#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that every launch in the traces has its kernel's name.

usage: kernel_names.py TRACE..."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import read_trace  # noqa: E402


def main():
    launches, nameless = 0, 0
    for path in sys.argv[1:]:
        for event in read_trace.Trace(path).events():
            if event["kind"] == "launch":
                launches += 1
                nameless += not isinstance(event["kernel"], str) or not event["kernel"]
    print(f"{launches} launches, {nameless} without a name")
    sys.exit(launches == 0 or nameless > 0)


if __name__ == "__main__":
    main()
