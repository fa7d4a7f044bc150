# SPDX-License-Identifier: MIT
"""Limits of the system that are so low that the library cannot work: the program works as it did."""
import functools

from failing import judge, victim
from frame import Skip, attack, hold


def one_limit(context, option, value, how, threads):
    folder = context.folder()
    shell = ["bash", "-c", f"ulimit -c 0; ulimit {option} {value} && exec \"$@\"", "-"]
    command = victim(context, how, threads, 300)
    plain = context.run([*shell, *command])
    if plain.status not in (0, 3, 4, 5, 7):
        raise Skip("the program does not work either under the lowest of the limits")
    # neither the shell that sets the limit is tried, nor the file that the program counts in
    (folder / "counts").write_bytes(bytes(16))
    ended = context.run([*shell, "env", f"LD_PRELOAD={context.library}", *command], LIBTRACE_OUT=folder / "out",
                        COUNTS=folder / "counts")
    if b"cannot be preloaded" in ended.err or b"error while loading shared libraries" in ended.err:
        raise Skip("the loader has no room for a library under the lowest of the limits")
    judge(context, folder, plain, ended)
    context.drop(folder)


@attack("limits", "few descriptors, short files, little memory, small stacks")
def try_limits(context):
    tries = [("-n", value) for value in (3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 32, 1024)]
    tries += [("-f", value) for value in (0, 1, 4, 64, 1000, 1100, 2000, 5000)]
    tries += [("-v", value) for value in (30000, 40000, 50000, 60000, 70000, 80000, 100000, 120000, 150000, 200000, 400000)]
    tries += [("-s", value) for value in (64, 128, 256, 1024)]
    tries += [("-l", 0), ("-i", 0), ("-q", 0), ("-d", 4000), ("-m", 100)]
    for option, value in context.pick(tries, 8):
        for how, threads in (("return", 1), ("exec", 3)):
            yield f"ulimit {option} {value}, {how}", functools.partial(one_limit, context, option, value, how, threads)


def one_user(context, processes):
    """As another user, who may have so many processes and threads; the limit does not hold for root."""
    folder = context.open_folder()
    shell = ["setpriv", "--reuid", 64444, "--clear-groups", "bash", "-c", f"ulimit -u {processes} && exec \"$@\"", "-"]
    command = victim(context, "return", 1, 300)
    plain = context.run([*shell, *command])
    if plain.status != 3:
        raise Skip("a program of another user cannot be run here")
    ended = context.run([*shell, "env", f"LD_PRELOAD={context.library}", *command], LIBTRACE_OUT=folder / "out",
                        COUNTS=folder / "counts")
    judge(context, folder, plain, ended)
    if processes == 1:
        hold(ended.said(), "no thread could be made, and nothing is said")
    context.drop(folder)


@attack("processes", "a user who may have no more threads", short=False)
def try_processes(context):
    for processes in (1, 2, 3, 10):
        yield f"ulimit -u {processes}", functools.partial(one_user, context, processes)
