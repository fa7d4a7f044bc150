# SPDX-License-Identifier: MIT
"""Several runs, ranks and processes in one folder: never mixed, whoever reads."""
import functools
import re

from failing import victim
from frame import attack, counted, hold

OUTPUTS = [("report", "--format", "json"), ("report",), ("dump",), ("export", "-q"), ("export", "-q", "--format", "folded"),
           ("report", "--format", "html", "-o", "-"), ("report", "--tables"), ("dump", "--format", "json")]

LAUNCH = rb' launch  cuda|"event", "kind": "launch"'


def record(context, folder, calls, **variables):
    counts = folder / f"counts{calls}"
    context.traced(victim(context, "return", 1, calls), folder / "out", COUNTS=counts, **variables)
    return counted(counts)[1]


def one_folder(context, output, order, ranks, killed):
    """Two runs whose numbers of calls tell them apart, one of them perhaps killed."""
    folder = context.folder()
    made = []
    for calls in order:
        sum_of_run = 0
        for rank in range(ranks):
            variables = {"RANK": rank, "WORLD_SIZE": ranks, "LIBTRACE_RUN_ID": f"run-{calls}"} if ranks > 1 else {}
            if killed and calls == order[-1]:
                counts = folder / f"counts{calls + rank}"
                context.traced(victim(context, "endless", 1), folder / "out", kill_after=0.1, LIBTRACE_LOG="quiet",
                               begun=lambda counts=counts: counted(counts)[1] > 0, COUNTS=counts, **variables)
            else:
                sum_of_run += record(context, folder, calls + rank, **variables)
        made.append(sum_of_run)
    first, last = (context.analyze("dump", "--run", which, folder / "out", codes=(0,)).out.count(b" launch  cuda")
                   for which in ("first", "last"))
    # launches are every sixth call of a process
    expected = [sum((calls + rank + 5) // 6 for rank in range(ranks)) for calls in order]
    hold(first == expected[0] and (killed or last == expected[1]), f"{first} and {last} launches, not {expected}")
    refused = context.analyze(*output, folder / "out", codes=(2,))
    hold(b"more than one run was recorded here" in refused.err and not refused.out, str(refused))
    processes = re.findall(rb"^  \S+  calls, (\d+) process", refused.err, re.M)
    hold(processes == [b"%d" % ranks] * 2, f"processes of the runs: {processes}")
    for which in ("first", "last"):
        ended = context.analyze(*output, "--run", which, folder / "out", codes=(0, 1, 3))
        named, wanted = len(re.findall(LAUNCH, ended.out)), first if which == "first" else last
        hold(output[0] != "dump" or named == wanted, f"{named} launches of the {which} run, not {wanted}; {ended}")
    context.drop(folder)


@attack("two runs, one folder", "runs of one or several ranks one after the other into one folder, also killed: each output is "
                                "of one of them, and says so")
def try_folders(context):
    tries = [(output, order, ranks, killed) for output in OUTPUTS for order in ((60, 120), (120, 60)) for ranks in (1, 3)
             for killed in (False, True)]
    for output, order, ranks, killed in context.pick(tries, 5):
        yield f"{' '.join(output)}, {order}, {ranks} ranks{', killed' if killed else ''}", functools.partial(
            one_folder, context, output, order, ranks, killed)
