# SPDX-License-Identifier: MIT
"""Collects in one way (argv[2]) beside a runtime (argv[1]); prints what must be the same without the library, and
into the file argv[3] what its own function in gc.callbacks saw: generation, collected, nanoseconds, one line each."""
import atexit
import ctypes
import gc
import os
import sys
import threading
import time

gc.disable()
runtime = ctypes.CDLL(sys.argv[1])
seen = []
began = []


def note(phase, info):
    if phase == "start":
        began.append(time.perf_counter_ns())
    else:
        seen.append((info["generation"], info["collected"], time.perf_counter_ns() - began.pop()))


def ours():
    return [function for function in gc.callbacks if "libtrace" in repr(function)]


def begin_on_a_thread():
    """The main thread makes no call."""
    def work():
        for _ in range(200):
            runtime.cudaStreamSynchronize(None)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    for _ in range(1000):
        pass
    gc.callbacks.append(note)


def begin():
    """The first events, of which some are checked; then the interpreter has our function in its list."""
    for _ in range(200):
        runtime.cudaStreamSynchronize(None)
    gc.callbacks.append(note)


class Node:
    def __init__(self):
        self.self = self


def garbage(count):
    kept = []
    for number in range(count):
        kept.append([Node()])
        if number % 1000 == 0:
            runtime.cudaStreamSynchronize(None)
            kept = kept[-20000:]


def automatic():
    gc.enable()
    garbage(100000)
    gc.disable()


def explicit():
    for _ in range(20):
        garbage(5000)
        gc.collect()
        gc.collect(1)


def elsewhere():
    """The main thread collects, and is not the one that has begun the recording."""
    for _ in range(20):
        gc.collect(1)


def often():
    for _ in range(3000):
        gc.collect(0)


def finalizers():
    """What a collection runs may collect, raise and call the runtime."""
    class Loud(Node):
        def __del__(self):
            gc.collect()
            runtime.cudaStreamSynchronize(None)
    for _ in range(50):
        Loud()
        gc.collect()


def threads():
    """On several threads, one after the other while each waits for the interpreter."""
    def work():
        for _ in range(100):
            runtime.cudaStreamSynchronize(None)
            gc.collect(1)
    all_threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()


def at_exit():
    def last():
        garbage(2000)
        gc.collect()
        print("at exit")
    atexit.register(last)
    begun = threading.Event()

    def forever():
        begun.set()
        while True:
            gc.collect(0)
    threading.Thread(target=forever, daemon=True).start()
    begun.wait()


def by_hand():
    """The program calls what stands in the list, with what is right and what is not."""
    del gc.callbacks[-1]
    for arguments in ((), (1,), ("start",), ("start", {}), ("stop", {}), ("stop", None), ("start", None),
                      ("stop", {"generation": "x"}), ("stop", {"generation": -1, "collected": 1 << 80}),
                      (b"start", {}), ("\ud800", {}), (None, None), ("start", {}, 3)):
        for function in ours():
            if function(*arguments) is not None:
                print("returned something")
    gc.callbacks.append(note)
    gc.collect()
    print("by hand")


def raising():
    def bad(phase, info):
        raise ValueError(phase)
    sys.unraisablehook = lambda args: None
    gc.callbacks.append(bad)
    gc.collect()
    print("raising")


def cleared():
    gc.collect()
    gc.callbacks.clear()
    gc.collect()
    print("cleared", len(gc.callbacks))


def forks():
    """In the middle of a collection, and a child that collects and does nothing else."""
    def split(phase, info):
        if phase == "start" and not children:
            children.append(os.fork())
    children = []
    gc.callbacks.append(split)
    gc.collect()
    if children[0] == 0:
        gc.collect()
        os._exit(7)
    print("child", os.WEXITSTATUS(os.waitpid(children[0], 0)[1]))
    gc.callbacks.remove(split)
    gc.collect()


def fork_with_events():
    garbage(10)
    child = os.fork()
    if child == 0:
        runtime.cudaStreamSynchronize(None)
        for _ in range(5):
            gc.collect()
        os._exit(3)
    print("child", os.WEXITSTATUS(os.waitpid(child, 0)[1]))


def subinterpreter():
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        number = module.create()
        run = getattr(module, "run_string", None) or module.exec
        run(number, "import gc\nfor _ in range(5): gc.collect()\n"
            "print('inside', sum('libtrace' not in repr(one) for one in gc.callbacks), flush=True)")
        module.destroy(number)
        break
    else:
        print("no sub-interpreters")
    gc.collect()


def frozen():
    for _ in range(5):  # so many that one at which the machine was elsewhere does not decide
        gc.freeze()
        gc.collect()
        gc.unfreeze()
        gc.collect()
    print("frozen")


def no_event():
    gc.callbacks.clear()
    for _ in range(100):
        gc.collect()
    print("functions", len(gc.callbacks))


def main():
    if sys.argv[2] == "elsewhere":
        begin_on_a_thread()
    elif sys.argv[2] != "no_event":
        begin()
    del seen[:]
    before = [one["collections"] for one in gc.get_stats()]
    globals()[sys.argv[2]]()
    counts = [one["collections"] - before[i] for i, one in enumerate(gc.get_stats())]
    with open(sys.argv[3], "w") as file:
        file.write("%s %s\n" % (len(ours()), " ".join(map(str, counts))))
        # Of what there is now: a thread that goes on collecting may add lines as fast as they are written.
        for line in seen[:]:
            file.write("%d %d %d\n" % line)


main()
