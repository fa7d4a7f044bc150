# SPDX-License-Identifier: MIT
"""Threads that fight for the interpreter in one way (argv[2]) beside a runtime (argv[1]). The file argv[3] gets the
ids of the threads that kept it, then begin and end of each call that should have been short and was not."""
import ctypes
import os
import sys
import threading
import time

runtime = ctypes.CDLL(sys.argv[1])
stopped = threading.Event()
hogs = []
late = []


def hog():
    hogs.append(threading.get_native_id())
    number = 0
    while not stopped.is_set():
        number += 1


def start(count, daemon=False):
    threads = [threading.Thread(target=hog, daemon=daemon) for _ in range(count)]
    for thread in threads:
        thread.start()
    while len(hogs) < count:
        time.sleep(0.001)
    return threads


def call(count):
    """Each lets go of the interpreter for a moment."""
    for _ in range(count):
        begin = time.monotonic_ns()
        time.sleep(0.0005)
        end = time.monotonic_ns()
        if end - begin > 3000000:
            late.append((begin, end))
        for _ in range(2000):
            pass


def one():
    start(1)
    call(40)
    stopped.set()


def three():
    start(3)
    call(20)
    stopped.set()


def forks():
    start(1)
    call(10)
    child = os.fork()
    if child == 0:
        call(10)
        os._exit(5)
    print("child", os.WEXITSTATUS(os.waitpid(child, 0)[1]))
    call(10)
    stopped.set()


def short_lived():
    """Whoever held it may be gone, and its state with it."""
    def brief():
        for _ in range(20000):
            pass
    for _ in range(300):
        threading.Thread(target=brief).start()
        os.stat("/")
    print("short lived")


def ends():
    start(4, daemon=True)
    call(20)
    print("ends", flush=True)


def subinterpreter():
    """From 3.12 on with a lock of its own, which is not the library's business."""
    start(1)
    if sys.version_info >= (3, 12):
        try:
            import _interpreters as module
        except ImportError:
            import _xxsubinterpreters as module
        number = module.create()
        run = getattr(module, "run_string", None) or module.exec
        run(number, "import os\nfor _ in range(20): os.stat('/')")
        module.destroy(number)
    call(20)
    stopped.set()
    print("subinterpreter")


def main():
    for _ in range(200):
        runtime.cudaStreamSynchronize(None)
    globals()[sys.argv[2]]()
    with open(sys.argv[3], "w") as file:
        file.write(" ".join(map(str, hogs)) + "\n")
        for line in late:
            file.write("%d %d\n" % line)


main()
