# SPDX-License-Identifier: MIT
"""What a program tells libtrace by itself. One file, no dependencies, CPython 3.6 and newer.

    import libtrace

    libtrace.metadata(model="resnet50", batch=64)
    for batch in loader:
        with libtrace.range("augment"):         # also a decorator: @libtrace.range("augment")
            batch = augment(batch)
        train(batch)
        libtrace.step()                         # a training step ends here

    with libtrace.paused():                     # or pause() and resume(): nothing is recorded
        evaluate()

Where the library is not loaded every function does nothing. The steps that a program says go before every
other way to find steps.
"""
import functools

__all__ = ["listens", "metadata", "pause", "paused", "range", "resume", "step"]

_HELLO, _STEP, _BEGIN, _END, _PAUSE, _RESUME, _NOTE = (0, 1, 2, 3, 4, 5, 6)


def _find():
    """The function of the library, or None where it is not loaded or does not record."""
    try:
        import ctypes
        tell = ctypes.PyDLL(None).libtrace_mark  # it never waits, so the interpreter's lock is kept
    except (ImportError, OSError, AttributeError, TypeError):
        return None
    tell.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64]
    tell.restype = ctypes.c_uint64
    return tell if tell(_HELLO, None, None, 0) else None


_tell = _find()


def _bytes(text):
    return str(text).replace("\0", " ").encode("utf-8", "replace")


def listens():
    """Whether this process is recorded by libtrace, unless it is paused."""
    return _tell is not None


def step():
    """A training step ends here."""
    if _tell is not None:
        _tell(_STEP, None, None, 0)


def pause():
    """Nothing is recorded from now on; steps are still counted."""
    if _tell is not None:
        _tell(_PAUSE, None, None, 0)


def resume():
    """Recording goes on."""
    if _tell is not None:
        _tell(_RESUME, None, None, 0)


def metadata(*pairs, **named):
    """Shown in the report: metadata("lr", 0.1) or metadata(lr=0.1, batch=64); the last value of a name holds."""
    if len(pairs) not in (0, 2):
        raise TypeError("metadata() takes a name and a value, or keyword arguments")
    if _tell is None:
        return
    for name, value in ([pairs] if pairs else []) + list(named.items()):
        _tell(_NOTE, _bytes(name), _bytes(value), 0)


class range:  # the builtin is not used in this file
    """A range of the program: a context manager that its thread may enter again, and a decorator.

    Of a coroutine or a generator the range lasts until it has ended, with what others do meanwhile.
    """

    __slots__ = ("_name", "_open")

    def __init__(self, name):
        self._name = _bytes(name)
        self._open = []

    def __enter__(self):
        self._open.append(_tell(_BEGIN, self._name, None, 0) if _tell is not None else 0)
        return self

    def __exit__(self, *exception):
        begun = self._open.pop()
        if begun:
            _tell(_END, None, None, begun)

    def __call__(self, function):
        name = self._name.decode()
        flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
        if flags & 0x80:  # async def
            async def ranged(*positional, **named):
                with range(name):
                    return await function(*positional, **named)
        elif flags & 0x20:  # with yield
            def ranged(*positional, **named):
                with range(name):
                    return (yield from function(*positional, **named))
        else:
            def ranged(*positional, **named):
                with range(name):
                    return function(*positional, **named)
        return functools.wraps(function)(ranged)


class paused:
    """Recording is off inside, and on again behind it."""

    def __enter__(self):
        pause()

    def __exit__(self, *exception):
        resume()
