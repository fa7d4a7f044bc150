# SPDX-License-Identifier: MIT
"""Calls of the system and allocations that fail, one by one: the program never notices."""
import errno
import functools

from ends import all_there
from frame import Skip, attack, counted, hold

ERRORS = [errno.ENOSPC, errno.EIO, errno.EMFILE, errno.EACCES, errno.ENOMEM, errno.ENOSYS, errno.EPERM, errno.EINTR]
WAIT = 61
PRCTL = 157


def victim(context, how="return", threads=2, calls=300):
    return [context.build / "attack/calls", how, threads, calls]


def inject(context, folder, who, number, error, mode, command, **variables):
    # COUNTS is the program's own file: what fails is never a call of the program
    return context.run([context.build / "attack/inject", who, number, error, mode, *command], limit=60,
                       PRELOAD=context.library if who == "ours" else None, LIBTRACE_OUT=folder / "out",
                       COUNTS=folder / "counts", **variables)


def told(path):
    rows = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return {int(row[0]): int(row[1]) for row in rows if row[0] != "hit"}


def judge(context, folder, plain, ended):
    """As without the library, and whatever trace there is says how much of it is missing."""
    hold((ended.status, ended.out, ended.others()) == (plain.status, plain.out, plain.others()), f"{plain}; else {ended}")
    hold(len(ended.said()) <= 8, f"{len(ended.said())} lines: {ended.said()[:3]}")
    if not list((folder / "out").glob("*.zst")):
        hold(ended.said(), "no trace, and nothing is said")
        return
    if context.analyze("dump", folder / "out", codes=(0, 3)).status == 3:
        hold(ended.said(), "an empty trace, and nothing is said")
        return
    there, lost, skipped, dumped = context.account(folder / "out")
    begun, done = counted(folder / "counts")
    # what was refused by the disk is counted, and may be found in the rings all the same;
    # samples of the recorder's own may be among what is lost
    whole = f"{there} recorded, {lost} lost, {skipped} skipped; {begun} begun, {done} done"
    closed = "\nend " in dumped
    hold(there <= begun and (list((folder / "out").glob("*.live")) or ended.said() or there + lost + skipped <= begun + 200), whole)
    hold(lost > 0 or there + skipped == done or not closed or ended.said(), whole + "; nothing is said")
    hold(lost == 0 or there + lost + skipped >= done or ended.said(), whole)


def one_call(context, number, error, mode):
    folder = context.folder()
    plain = context.alone(victim(context))
    ended = inject(context, folder, "ours", number, error, mode, victim(context), TOLD=folder / "told")
    judge(context, folder, plain, ended)
    context.drop(folder)


def count_calls(context, who, command):
    folder = context.folder()
    ended = inject(context, folder, who, 0, 0, "once", command, TOLD=folder / "told")
    counts = told(folder / "told")
    context.drop(folder)
    return ended, counts


@attack("system calls", "call number k of the library to the kernel fails, with eight errors, once and for ever")
def try_calls(context):
    _, counts = count_calls(context, "ours", victim(context))
    total = sum(counts.values())
    if total == 0:
        raise AssertionError("no call of the library was seen")
    tries = [(number, error, mode) for number in range(1, total + 1) for error in ERRORS for mode in ("once", "ever")]
    for number, error, mode in context.pick(tries, 40):
        yield f"{number} of {total}, {errno.errorcode[error]}, {mode}", functools.partial(one_call, context, number, error,
                                                                                          mode)


def one_allocation(context, number, ever):
    folder = context.folder()
    plain = context.alone(victim(context))
    ended = context.traced(victim(context), folder / "out", preload=f"{context.build}/attack/alloc.so:{context.library}",
                           COUNTS=folder / "counts", FAIL_AT=number, FAIL_EVER=ever)
    judge(context, folder, plain, ended)
    context.drop(folder)


@attack("allocations", "allocation number k of the library fails, once and for ever")
def try_allocations(context):
    folder = context.folder()
    context.traced(victim(context), folder / "out", preload=f"{context.build}/attack/alloc.so:{context.library}",
                   FAIL_COUNT=folder / "count")
    total = int((folder / "count").read_text())
    if total == 0:
        raise AssertionError("no allocation of the library was seen")
    tries = [(number, ever) for number in range(1, total + 2) for ever in (None, 1)]
    for number, ever in context.pick(tries, 10):
        yield f"{number} of {total}{', ever' if ever else ''}", functools.partial(one_allocation, context, number, ever)


def one_filter(context, number, error):
    folder = context.folder()
    command = victim(context)
    plain = context.run([context.build / "attack/refuse", number, error, *command], COUNTS=folder / "counts")
    if plain.status == 125:
        raise Skip("filters of system calls cannot be set here")
    if plain.status != 3:
        raise Skip("the program needs it too")
    (folder / "counts").unlink(missing_ok=True)
    ended = context.run([context.build / "attack/refuse", number, error, *command], PRELOAD=context.library,
                        LIBTRACE_OUT=folder / "out", COUNTS=folder / "counts")
    judge(context, folder, plain, ended)
    context.drop(folder)


def one_loading_filter(context, number, error, on):
    """It loads libraries and forks as well, recorded or not."""
    folder = context.folder()
    command = [context.build / "attack/refuse", number, error, *victim(context, "loads and forks")]
    plain = context.run(command)
    if plain.status == 125:
        raise Skip("filters of system calls cannot be set here")
    if plain.status != 3:
        raise Skip("the program needs it too")
    ended = context.run(command, PRELOAD=context.library, LIBTRACE_OUT=folder / "out", LIBTRACE_ENABLE=on)
    context.same(plain, ended)
    context.drop(folder)


@attack("filters", "a seccomp filter refuses, or ends who makes, a system call that the program itself never makes")
def try_filters(context):
    _, counts = count_calls(context, "ours", victim(context))
    _, program = count_calls(context, "all", victim(context))
    _, loading = count_calls(context, "ours", victim(context, "loads and forks"))
    # whether there is a filter is asked by prctl, what it does by a child that is waited for
    refused = [(number, error) for number in sorted({*counts, *loading})
               for error in (errno.EPERM, errno.ENOSYS, errno.EACCES, -1, -2)
               if number not in (PRCTL, WAIT) or error > 0]
    tries = [(f"call {number}, error {error}", functools.partial(one_filter, context, number, error))
             for number, error in refused if number not in program]
    tries += [(f"call {number}, error {error}, loads and forks, {on}",
               functools.partial(one_loading_filter, context, number, error, on))
              for number, error in refused for on in "10"]
    yield from context.pick(tries, 16)


def analyzer_commands(context, trace):
    yield "report", trace
    yield "report", "--format", "json", trace
    yield "report", "--format", "html", "-o", "-", trace
    yield "dump", trace
    yield "export", "-q", trace
    yield "check", trace, "--write-baseline", "base"


def one_analysis(context, trace, command, number, error, mode):
    folder = context.folder()
    plain = context.alone([context.analyzer, *command])
    ended = context.run([context.build / "attack/inject", "all", number, error, mode, context.analyzer, *command], cwd=folder)
    if ended.status == 127:
        raise Skip("the loader itself fails")
    hold(0 <= ended.status <= 4, f"{ended}")
    hold(ended.status == plain.status or ended.err.strip(), f"status {ended.status} and nothing is said")
    if ended.status == plain.status == 0 and b"warning" not in ended.err and not ended.err:
        hold(ended.out == plain.out, "other output, and nothing is said")
    context.drop(folder)


@attack("analyzer's calls", "system call number k of the analyzer fails: the whole output, or an exit status and a line")
def try_analyzer(context):
    folder = context.folder()
    context.traced(victim(context), folder / "out")
    trace = next((folder / "out").glob("*.zst"))
    for command in analyzer_commands(context, trace):
        context.alone([context.analyzer, *command])
        told_at = folder / "told"
        context.run([context.build / "attack/inject", "all", 0, 0, "once", context.analyzer, *command], TOLD=told_at)
        total = sum(told(told_at).values())
        tries = [(number, error, mode) for number in range(1, total + 1) for error in (errno.EIO, errno.ENOMEM, errno.ENOSPC)
                 for mode in ("once", "ever")]
        # late ones are where data is read a second time
        late = [(total * tenths // 10, errno.ENOMEM, "ever") for tenths in (7, 9)]
        for number, error, mode in [*context.pick(tries, 6), *late]:
            yield f"{' '.join(map(str, command[:-1]))} {number}, {errno.errorcode[error]}, {mode}", functools.partial(
                one_analysis, context, trace, command, number, error, mode)

