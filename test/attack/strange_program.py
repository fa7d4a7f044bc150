# SPDX-License-Identifier: MIT
"""A program of one habit; it tells how many calls it has made, where that is certain. usage: strange_program.py HABIT"""
import atexit
import ctypes
import faulthandler
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

SET = "for i in range(30): library.cudaMemset(ctypes.c_void_p(64), 0, 1)"
made = 0
lock = threading.Lock()


def work(library, count):
    global made
    for _ in range(count):
        library.cudaMemset(ctypes.c_void_p(64), 0, 1)
    with lock:
        made += count


def tell():
    print("made", made, flush=True)


def with_faulthandler(library):
    faulthandler.enable()
    with open(os.devnull, "w") as nowhere:
        for _ in range(20):
            faulthandler.dump_traceback_later(0.001, file=nowhere)
            time.sleep(0.003)
            work(library, 20)
        faulthandler.cancel_dump_traceback_later()


def with_segv(library):
    faulthandler.enable(file=open(os.devnull, "w"))
    tell()
    ctypes.string_at(0)


def with_interpreters(library):
    global made
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        sys.exit(9)
    for _ in range(10):
        one = interpreters.create()
        interpreters.run_string(one, "import ctypes; library = ctypes.CDLL('libcudart.so.12')\n" + SET)
        interpreters.destroy(one)
        work(library, 10)
        made += 30


def with__exit(library):
    def leave():
        work(library, 100)
        tell()
        os._exit(6)
    threading.Thread(target=leave).start()
    time.sleep(60)


def with_itimer(library):
    hits = []
    signal.signal(signal.SIGALRM, lambda number, frame: hits.append(number))
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    end, begin = os.pipe()
    threading.Timer(0.3, os.write, (begin, b"x")).start()
    os.read(end, 1)
    work(library, 50)
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(len(hits) > 20)


def with_exec(library):
    tell()
    os.execvp("perl", ["perl", "-e", "print 6 * 7; exit 4"])


def with_daemon(library):
    def endless():
        while True:
            library.cudaSetDevice(0)
    for _ in range(4):
        threading.Thread(target=endless, daemon=True).start()
    time.sleep(0.1)


def with_audit(library):
    seen = set()
    sys.addaudithook(lambda name, arguments: seen.add(name))
    work(library, 100)
    subprocess.run(["true"], check=True)
    print(sorted(seen))


def with_profile(library):
    sys.setprofile(lambda *seen: None)
    sys.settrace(lambda *seen: None)
    work(library, 300)
    sys.settrace(None)
    sys.setprofile(None)


def with_deep(library):
    def down(depth):
        return work(library, 1) if depth == 0 else down(depth - 1)
    sys.setrecursionlimit(100000)
    for _ in range(10):
        down(20000)


def with_atexit(library):
    atexit.register(lambda: work(library, 100))


def with_pools(library):
    for how in ("fork", "forkserver"):
        with multiprocessing.get_context(how).Pool(3) as pool:
            print(pool.map(abs, range(-20, 0)))


def with_threads(library):
    for _ in range(30):
        threads = [threading.Thread(target=work, args=(library, 5)) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main():
    library = ctypes.CDLL("libcudart.so.12")
    atexit.register(tell)
    work(library, 50)
    globals()[f"with_{sys.argv[1]}"](library)


if __name__ == "__main__":
    main()
