# SPDX-License-Identifier: MIT
"""Ways in which Python code comes to call into a library; each calls take() in its own."""
import asyncio
import contextlib
import functools
import gc
import threading


def shapes(take):
    """All shapes, as (name, function without arguments)."""
    found = []

    def shape(function):
        found.append((function.__name__, function))
        return function

    @shape
    def plain():
        take()

    @shape
    def several_lines():
        take(
            1,
            2,
        )
        return (1 +
                (take() or 2) +
                3)

    @shape
    def nested():
        def one():
            def two():
                take()
            take()
            two()
            take()
        one()

    @shape
    def closure():
        value = 1

        def inner():
            nonlocal value
            value += 1
            take(value)
        inner()
        inner()

    @shape
    def lambdas():
        (lambda: take())()
        (lambda x:
            take(x))(3)
        list(map(lambda x: take(x), range(3)))

    @shape
    def comprehensions():
        [take(i) for i in range(3)]
        {take(i) for i in range(3)}
        {i: take(i)
         for i in range(3)
         if take() is None}
        list(take(i) for i in range(3))

    @shape
    def generator():
        def numbers():
            take()
            for i in range(3):
                got = yield i
                take(got)
            yield from inner()

        def inner():
            yield take()
            try:
                yield 2
            finally:
                take()
        for _ in numbers():
            take()
        started = numbers()
        next(started)
        started.send(5)
        started.close()
        thrown = inner()
        next(thrown), next(thrown)
        with contextlib.suppress(KeyError):
            thrown.throw(KeyError("x"))

    @shape
    def coroutine():
        async def leaf(n):
            take(n)
            await asyncio.sleep(0)
            take(n)

        async def stream():
            for i in range(2):
                take()
                yield i

        async def main():
            await asyncio.gather(leaf(1), leaf(2))
            async for _ in stream():
                take()
            [take(x) async for x in stream()]
        loop = asyncio.new_event_loop()
        loop.run_until_complete(main())
        loop.close()

    @shape
    def executed():
        space = {"take": take}
        exec("take()\n\n\ntake()", space)
        exec(compile("def f():\n\n take()\nf()\n", "made/up name.py", "exec"), space)
        eval("take()", space)
        exec(compile("take()", "<stdin>", "exec"), space)
        exec(compile("take()", "<frozen thing>", "exec"), space)

    @shape
    def decorated():
        def wrap(function):
            @functools.wraps(function)
            def wrapper(*args):
                take()
                return function(*args)
            return wrapper

        @wrap
        @wrap
        def target():
            take()
        target()

        @functools.lru_cache(maxsize=None)
        def cached(n):
            take(n)
            return n if n == 0 else cached(n - 1)
        cached(4)

    @shape
    def classes():
        class Meta(type):
            def __new__(mcs, *args):
                take()
                return super().__new__(mcs, *args)

        class Thing(metaclass=Meta):
            take()
            field = [take() for _ in range(2)]

            def __init__(self):
                take()

            def __getattr__(self, name):
                take()
                return 1

            @property
            def prop(self):
                return take()

            def __del__(self):
                take()

            def __call__(self):
                take()

            def __iter__(self):
                take()
                return iter((1, 2))

            def __lt__(self, other):
                take()
                return False
        thing = Thing()
        thing.prop, thing.other, thing()
        for _ in thing:
            take()
        sorted([thing, Thing()])
        functools.reduce(lambda a, b: take(), thing)
        del thing

    @shape
    def recursion():
        def down(n):
            if n > 0:
                down(n - 1)
            if n % 7 == 0:
                take()
        down(100)

    @shape
    def exceptions():
        try:
            take()
            raise ValueError
        except ValueError:
            take()
            try:
                raise KeyError
            except (KeyError,
                    TypeError):
                take()
        else:
            take()
        finally:
            take()
        with contextlib.ExitStack() as stack:
            stack.callback(take)
            stack.callback(lambda: take())
            take()

    @shape
    def loops():
        for i in range(3):
            if i == 1:
                continue
            while True:
                take()
                if i == 2 or \
                        take() is None:
                    break
        else:
            take()

    @shape
    def context():
        @contextlib.contextmanager
        def manager():
            take()
            try:
                yield
            finally:
                take()
        with manager(), manager():
            take()

    @shape
    def threads():
        def work():
            take()
            work_inner = lambda: take()  # noqa: E731
            work_inner()
        for _ in range(3):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()

    @shape
    def sort_key():
        sorted([3, 1, 2], key=lambda x: take(x) or x)
        max([3, 1], key=lambda x: (
            take(x) or x))

    @shape
    def collector():
        """Garbage collection calls from wherever memory is allocated, also in half-built frames."""
        def cells(a, b):
            return lambda: (a, b)

        def numbers(n):
            c = [n]
            yield lambda: (n, c)

        # Generated code, so that the frame outside of it is asked for as well.
        space = {"take": take}
        exec(compile("def callback(phase, info):\n take()", "<made>", "exec"), space)
        callback = space["callback"]
        before = gc.get_threshold()
        gc.callbacks.append(callback)
        gc.set_threshold(1)
        for i in range(20):
            cells(i, [i])()
            list(numbers(i))
            [lambda: i for i in range(2)]
        gc.set_threshold(*before)
        gc.callbacks.remove(callback)

    @shape
    def names():
        def größe():
            take()

        def 数据():
            take()
        größe()
        数据()
        f"{take()} {take()!r}"
    return found
