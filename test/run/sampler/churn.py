# SPDX-License-Identifier: MIT
"""Threads of every kind whose stacks are read without pause: they end, fork, exec, unload modules,
recurse and run generated code. Every line that was seen must be one of its function."""
import ctypes
import gc
import importlib
import os
import subprocess
import sys
import tempfile
import threading
import time

probe = ctypes.CDLL(sys.argv[1])
probe.probe_state.restype = ctypes.c_char_p
READS = int(sys.argv[2])
ROUNDS = 30  # at most
stop = False


def recurse(depth):
    if depth == 0:
        time.sleep(0.005)
        return work(3)
    return recurse(depth - 1) + 1


def work(count):
    value = 0
    for i in range(count):
        value = add(value, i)
    return value


def add(a, b):
    return a + b & 0xffff


def generate(count):
    for i in range(count):
        yield add(i, i)


def calls():
    while not stop:
        work(50)
        sum(generate(50))
        sorted(range(100), key=lambda x: -x)
        try:
            int("x")
        except ValueError:
            pass


def deep():
    while not stop:
        recurse(5000)


def blanks(file):
    """Lines that a generated file has left empty: tables of the same size, which say other lines."""
    return file % 3


def generated():
    number = 0
    while not stop:
        number += 1
        space = {"work": work}
        exec(compile("\ndef f%d():\n%s work(20)\nf%d()\n" % (number % 5, "\n" * blanks(number % 7), number % 5),
                     "generated%d.py" % (number % 7), "exec"), space)
        if number % 100 == 0:
            gc.collect()


def unload(folder):
    while not stop:
        module = importlib.import_module("churned")
        module.run(work)
        del sys.modules["churned"], module
        importlib.invalidate_caches()


def processes():
    while not stop:
        child = os.fork()
        if child == 0:
            probe.probe_after_fork()
            probe.probe_feed()
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            failed.append("a forked child")
        subprocess.call([sys.executable, "-S", "-c", ""])


def feeding(function, *arguments):
    def run():
        probe.probe_feed()
        function(*arguments)
    return threading.Thread(target=run)


def short_ones():
    """Threads that end at once, so that others get their memory."""
    while not stop:
        some = [feeding(work, 200) for _ in range(8)]
        for thread in some:
            thread.start()
        for thread in some:
            thread.join()


def code_objects(code, found):
    found.setdefault((os.path.basename(code.co_filename), code.co_name), []).append(code)
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            code_objects(constant, found)


def lines_of(code):
    if hasattr(code, "co_lines"):
        return {line for _, _, line in code.co_lines() if line} | {code.co_firstlineno}
    import dis
    return {line for _, line in dis.findlinestarts(code)} | {code.co_firstlineno}


def judge(folder):
    known = {}
    for path in (__file__, os.path.join(folder, "churned.py")):
        with open(path, encoding="utf-8") as file:
            code_objects(compile(file.read(), path, "exec"), known)
    checked, wrong, number = 0, [], 1
    text = ctypes.create_string_buffer(4096)
    while probe.probe_seen(number, text, len(text)):
        number += 1
        times, line, rest = text.value.decode("utf-8", "replace").split(" ", 2)
        file, function = rest.split("\t")
        name = os.path.basename(file)
        if (name, function) in known:
            checked += int(times)
            if not any(int(line) in lines_of(code) for code in known[name, function]):
                wrong.append(text.value)
        elif name in ("churn.py", "churned.py") or not function.isprintable():
            wrong.append(text.value)
        elif name.startswith("generated"):
            checked += int(times)
            empty = blanks(int(name[9:-3]))
            if int(line) not in ((1, 2, 4 + empty) if function == "<module>" else (2, 3 + empty)):
                wrong.append(text.value)
    return checked, wrong


failed = []


def main():
    global stop
    sys.setrecursionlimit(20000)
    threading.stack_size(256 << 20)
    folder = tempfile.mkdtemp(prefix="libtrace-sampler-")
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    with open(os.path.join(folder, "churned.py"), "w", encoding="utf-8") as file:
        file.write("import math\n\n\ndef run(work):\n    for i in range(5):\n        work(20)\n"
                   "        math.sqrt(i)\n")
    probe.probe_attach()
    threads = [feeding(calls), feeding(calls), feeding(deep), feeding(generated),
               feeding(unload, folder)]
    threads += [threading.Thread(target=short_ones), threading.Thread(target=processes)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    counts = (ctypes.c_ulong * 4)()
    # On a busy machine the reader has a processor for long while the threads have none: then there is nothing to see.
    for rounds in range(1, ROUNDS + 1):
        probe.probe_start(ctypes.c_ulong(READS))
        probe.probe_wait(counts)
        if counts[1] > READS // 20:
            break
    stop = True
    for thread in threads:
        thread.join()
    checked, wrong = judge(folder)
    subprocess.call(["rm", "-rf", folder])
    none, read, torn, outer = counts
    print("%d reads: %d whole, %d without the innermost functions, %d torn, %d empty; depth %d; %d "
          "in known functions, %d wrong" % (READS * rounds, read - outer, outer, torn, none,
                                            probe.probe_depth(), checked, len(wrong)))
    for line in wrong[:8] + failed[:8]:
        print("  %r" % (line,))
    good = not wrong and not failed and read > READS // 20 and checked > read // 3
    return 0 if good and torn < read and probe.probe_depth() == 64 else 1


if __name__ == "__main__":
    sys.exit(main())
