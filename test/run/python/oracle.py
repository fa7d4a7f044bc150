# SPDX-License-Identifier: MIT
"""Compares what the probe library read with what sys._getframe() says of the same call."""
import ctypes
import functools
import re
import sys


class Result(ctypes.Structure):
    _fields_ = [("place", ctypes.c_uint32), ("line", ctypes.c_uint32), ("user_line", ctypes.c_uint32),
                ("file", ctypes.c_char * 2048), ("function", ctypes.c_char * 512),
                ("user_file", ctypes.c_char * 2048), ("user_function", ctypes.c_char * 512)]


def is_user(code):
    name = code.co_filename
    if name.startswith("<"):
        if name == "<string>":
            return code.co_name == "<module>"
        return name.startswith("<stdin>") or name.startswith("<ipython-input")
    return not re.search(r"/(site|dist)-packages/|lib(64)?/python3[0-9.]*(/|z)", name)


def text(value, size=2048):
    raw = value.encode("utf-8", "surrogatepass")
    raw = re.sub(rb"\xed[\xa0-\xbf][\x80-\xbf]", b"\xef\xbf\xbd", raw)
    while len(raw) > size - 1:
        value = value[:-1]
        raw = value.encode("utf-8", "replace")
    return raw


class Oracle:
    def __init__(self, path):
        self.released = ctypes.CDLL(path)   # the call gives the GIL away
        self.held = ctypes.PyDLL(path)
        self.released.probe_state.restype = ctypes.c_char_p
        self.released.probe_cost_ns.restype = ctypes.c_double
        self.result = Result()
        self.good, self.wrong, self.kept = 0, [], []
        self.released.probe_attach()

    def state(self):
        return self.released.probe_state().decode()

    def compare(self):
        """Called back from within the probe's call: the frame outside is the one that called it."""
        frame = sys._getframe(1)
        got = self.result
        self.check((got.file, got.line, got.function), frame, "frame")
        while frame is not None and not is_user(frame.f_code):
            frame = frame.f_back
        self.check((got.user_file, got.user_line, got.user_function), frame, "user frame")

    def check(self, got, frame, what):
        want = (b"", 0, b"")
        if frame is not None:
            code = frame.f_code
            line = frame.f_lineno if frame.f_lineno is not None else code.co_firstlineno
            want = (text(code.co_filename), line, text(code.co_name, 512))
        if got == want:
            self.good += 1
        else:
            self.wrong.append("%s: read %r, is %r" % (what, got, want))

    def takes(self):
        """The call with the GIL given away and held; it adds no Python frame of its own."""
        for library, kind in ((self.released, ctypes.CFUNCTYPE), (self.held, ctypes.PYFUNCTYPE)):
            library.probe_take.restype = None
            yield functools.partial(library.probe_take, ctypes.byref(self.result), self.callback(kind))

    def callback(self, kind):
        self.kept.append(kind(None)(self.compare))
        return self.kept[-1]
