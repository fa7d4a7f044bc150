# SPDX-License-Identifier: MIT
"""Ends, kills, forks and signals: what the program called is in the trace or counted as lost."""
import functools
import pathlib
import signal
import subprocess

from frame import Skip, attack, counted, hold

WAYS = ["return", "_exit", "quick_exit", "abort", "segv", "term", "thread", "leave", "exec"]
UNCLEAN = {"abort", "segv", "term"}


def all_there(context, folder, counts, killed=False):
    """Every call that was done is there or lost; of those that were begun at most so many more."""
    begun, done = counted(counts)
    there, lost, skipped, dumped = context.account(folder)
    hold(done <= there + lost + skipped <= begun,
         f"{begun} begun, {done} done, {there} recorded, {lost} lost, {skipped} skipped")
    hold(killed or begun == 0 or "\nend " in dumped, "the trace has no end")


def one_end(context, how, threads, calls):
    folder = context.folder()
    command = [context.build / "attack/calls", how, threads, calls]
    plain = context.alone(command)
    traced = context.traced(command, folder / "out", COUNTS=folder / "counts")
    context.same(plain, traced)
    all_there(context, folder / "out", folder / "counts", how in UNCLEAN)
    context.drop(folder)


@attack("ends", "every way to end, on 1 to 8 threads: output and status as without the library, calls = recorded + lost")
def try_ends(context):
    for how in WAYS:
        for threads, calls in context.pick([(1, 100), (2, 3000), (8, 2000), (1, 0), (3, 20000)], 2):
            yield f"{how} {threads} {calls}", functools.partial(one_end, context, how, threads, calls)


def one_kill(context, threads, after, number):
    folder = context.folder()
    command = [context.build / "attack/calls", "endless", threads, 0]
    context.traced(["timeout", "-s", number.name[3:], f"{after:.3f}", *command], folder / "out",
                   COUNTS=folder / "counts", LIBTRACE_LOG="quiet")
    if context.analyze("dump", folder / "out", codes=(0, 3)).status == 0:
        all_there(context, folder / "out", folder / "counts", True)
        report = context.analyze("report", folder / "out", codes=(0, 1, 3))
        hold(report.status != 3 or b"insufficient data" in report.out, str(report))
    else:
        hold(counted(folder / "counts")[1] == 0, "calls were made, and nothing is there")
    context.drop(folder)


@attack("kills", "SIGKILL, SIGTERM, SIGSEGV at random moments: no finished call is missing, none is there twice")
def try_kills(context):
    for i in range(24 if context.short else 1000):
        number = context.random.choice([signal.SIGKILL] * 6 + [signal.SIGTERM, signal.SIGSEGV])
        after = context.random.choice([0.02, 0.1, 0.6]) * (0.2 + context.random.random())
        threads = context.random.choice([1, 2, 5])
        yield f"{number.name} {threads} threads after {after:.3f} s", functools.partial(one_kill, context, threads, after,
                                                                                       number)


@attack("forks", "fork, _Fork, the bare system call, clone, vfork, posix_spawn beside calling threads: no child in the "
                 "parent's trace")
def try_forks(context):
    for i in range(2 if context.short else 60):
        threads = 1 + i % 4
        yield f"{threads} threads", functools.partial(one_forks, context, threads)


def one_forks(context, threads):
    folder = context.folder()
    command = [context.build / "attack/calls", "forks", threads, 3000]
    plain = context.alone(command)
    traced = context.traced(command, folder / "out", COUNTS=folder / "counts")
    context.same(plain, traced)
    begun, done = counted(folder / "counts")
    main = [path for path in (folder / "out").glob("*.zst") if is_main(context, path)]
    hold(len(main) == 1, f"{len(main)} traces of the parent")
    there, lost, skipped, dumped = context.account(main[0])
    hold(begun == done == there + lost + skipped, f"{done} done, {there} recorded, {lost} lost, {skipped} skipped")
    hold(" call    cudaSetDevice" not in dumped, "calls of a child are in the parent's trace")
    context.drop(folder)


def one_first(context, enable):
    folder = context.folder()
    command = [context.build / "attack/calls", "first", 1, 200]
    plain = context.alone(command)
    traced = context.traced(command, folder / "out", COUNTS=folder / "counts", LIBTRACE_ENABLE=enable)
    context.same(plain, traced)
    if enable:
        done = counted(folder / "counts")[1]
        there, lost, skipped, dumped = context.account(folder / "out")
        told = 100 * sum("is not recorded: it was forked" in line for line in traced.said())
        hold(done == there + lost + skipped + told, f"{done} done, {there} recorded, {lost} lost, {skipped} skipped, {told} told")
    context.drop(folder)


@attack("first calls", "children whose calls are the first of all, while a thread of their parent loads and closes libraries")
def try_first(context):
    for i in range(1 if context.short else 20):
        for enable in (1, 0):
            yield f"enabled {enable}", functools.partial(one_first, context, enable)


def is_main(context, path):
    return b" role=main" in context.analyze("dump", "--kind", "run", path, codes=(0,)).out


def one_signals(context, how, calls):
    folder = context.folder()
    command = [context.build / "attack/calls", how, 2, calls]
    traced = context.traced(command, folder / "out", COUNTS=folder / "counts")
    hold((traced.status, traced.out) == (3, b"faults 0\n"), str(traced))
    all_there(context, folder / "out", folder / "counts")
    context.drop(folder)


@attack("signals", "handlers that call, on an alternate stack, at 5 kHz; some leave by siglongjmp; threads of the smallest "
                   "stack")
def try_signals(context):
    for i in range(1 if context.short else 40):
        for how in ("storm", "jump", "tiny"):
            yield how, functools.partial(one_signals, context, how, 4000 + 500 * i)


def sanitizers():
    yield "gcc", "address", "-lpthread", "libasan.so"
    yield "gcc", "thread", "-lpthread", "libtsan.so"
    yield "gcc", "undefined", "-lpthread", "libubsan.so"
    yield "gcc", "leak", "-lpthread", "liblsan.so"
    yield "gcc", "address", "-static-libasan", None
    yield "clang", "address", "-lpthread", None
    yield "clang", "thread", "-lpthread", None
    yield "clang", "undefined", "-lpthread", None


def one_sanitized(context, compiler, sanitizer, flag, before, how):
    if how == "leave" and sanitizer in ("address", "leak"):
        raise Skip("what main's memory leads to is a leak for LeakSanitizer once main has left before our thread")
    folder = context.folder()
    program = folder / "calls"
    # what the program tells the sanitizer to look for is not what is tried here
    built = context.run([compiler, "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-g", "-w", f"-fsanitize={sanitizer}", flag, "-o",
                         program, f"-I{pathlib.Path.cwd()}", pathlib.Path("test/attack/calls.c").resolve(),
                         *(pathlib.Path(f"test/attack/{name}.c").resolve() for name in ("acts", "strange", "unusual", "rare", "sealed")), f"-L{context.build}/attack",
                         "-lcudart_attack", "-lm", f"-Wl,-rpath,{context.build}/attack"])
    if built.status != 0:
        nothing = folder / "nothing.c"
        nothing.write_text("int main(void) { return 0; }\n")
        other = context.run([compiler, f"-fsanitize={sanitizer}", flag, "-o", program, nothing])
        hold(other.status != 0, f"{compiler} -fsanitize={sanitizer} {flag}: {built}")
        raise Skip(f"{compiler} -fsanitize={sanitizer} {flag}: cannot be built here")
    preload, alone = str(context.library), {}
    if before is not None:
        runtime = subprocess.run(["gcc", f"-print-file-name={before[1:]}"], capture_output=True, text=True,
                                 check=True).stdout.strip()
        preload = f"{runtime}:{preload}" if before[0] == "<" else f"{preload}:{runtime}"
        alone = {"LD_PRELOAD": runtime}
    command = [program, how, 3, 2000]
    plain = context.without(command, **alone)
    traced = context.traced(command, folder / "out", preload=preload, COUNTS=folder / "counts")
    context.same(plain, traced)
    all_there(context, folder / "out", folder / "counts")
    off = context.run(command, LD_PRELOAD=preload, LIBTRACE_ENABLE=0)
    context.same(plain, off)
    context.drop(folder)


@attack("sanitizers", "programs built with ASan, TSan, UBSan, LSan of gcc and clang, their runtime before and behind the "
                      "library")
def try_sanitizers(context):
    # more of them are in the suite `harmless`, with other calls
    chosen = [row for row in sanitizers() if not context.short or row[:2] == ("gcc", "thread")]
    for compiler, sanitizer, flag, runtime in chosen:
        for before in (None,) if runtime is None else (None, "<" + runtime, ">" + runtime):
            for how in ("return",) if context.short else ("return", "exec", "leave"):
                yield f"{compiler} {sanitizer} {flag} {before} {how}", functools.partial(
                    one_sanitized, context, compiler, sanitizer, flag, before, how)
