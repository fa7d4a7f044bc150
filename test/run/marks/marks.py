# SPDX-License-Identifier: MIT
"""What marks.c does, in Python 3.6 and newer, with what only Python has; prints what has to be in the trace."""
import sys
import time

sys.path.insert(0, sys.argv[1])
import libtrace


def line():
    return sys._getframe(1).f_lineno


@libtrace.range("function")
def function(value):
    time.sleep(0.0005)
    return value


@libtrace.range("generator")
def generator():
    yield 1
    yield 2


@libtrace.range("coroutine")
async def coroutine():
    return 3


print("listens", libtrace.listens())
libtrace.metadata("batch", 64)
libtrace.metadata(lr=0.1, name="\u00fcbung\0x" + "y" * 400, **{"k" * 80: None})
print("metadata batch=64")
print("metadata lr=0.1")
for step in range(30):
    with libtrace.range("outer"):
        first = line() - 1
        assert function(step) == step
        second = line() - 1
    third = line() + 1
    libtrace.step()
print("place outer", first)
print("place function", second)
print("place step", third)
assert list(generator()) == [1, 2] and function.__name__ == "function"
try:
    coroutine().send(None)
except StopIteration as end:
    assert end.value == 3
try:
    with libtrace.range("raises"):
        raise KeyError("kept")
except KeyError:
    pass
with libtrace.paused():
    with libtrace.range("paused"):
        pass
    libtrace.step()
try:
    libtrace.metadata("alone")
    print("metadata() takes one name")
except TypeError:
    pass
again = libtrace.range("again")
with again, again:
    pass
for name, count in (("outer", 30), ("function", 30), ("generator", 1), ("coroutine", 1), ("raises", 1), ("again", 2),
                    ("step", 30)):
    print("count", name, count)
