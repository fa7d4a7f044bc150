# SPDX-License-Identifier: MIT
"""Hold the calls of at::_ops functions against the operators that PyTorch tells: `trace-analyzer dump` on
standard input, a line "ok ..." or "FAIL ..." for each check."""
import collections
import re
import sys

told, probed = collections.Counter(), collections.Counter()
for line in sys.stdin:
    name = re.search(r" name=(\S+) ", line).group(1)
    if "framework=probe" in line:
        probed[re.fullmatch(r"at::_ops::(.*)::call", name).group(1)] += 1
    elif name.startswith("aten::"):
        told[name[len("aten::"):]] += 1


def overloads(name):
    """Calls of name and of name_OVERLOAD; an in-place form (add_) is another operator."""
    return sum(count for full, count in probed.items()
               if full == name or (full.startswith(name + "_") and full[len(name) + 1:len(name) + 2].isupper()))


def check(what, good, details):
    print("ok" if good else "FAIL", f"torch: {what} ({details})")


check("200 functions and more are called", len(probed) + len(told) > 0 and sum(probed.values()) > 400,
      f"{len(probed)} functions, {sum(probed.values())} calls")
same = [name for name in told if overloads(name) == told[name]]
for name in ("linear", "t", "addmm", "relu", "mm", "item"):
    check(f"as many calls of {name} as PyTorch tells", told[name] > 0 and overloads(name) == told[name],
          f"{overloads(name)} of {told[name]}")
check("most operators agree", len(same) * 10 >= len(told) * 7, f"{len(same)} of {len(told)}")
