# SPDX-License-Identifier: MIT
"""Stamps of a script's own steps, by the clock of the device's log (CLOCK_MONOTONIC).

    clock = Stamps()               the first step begins here
    for x, y in loader:
        clock.spent("idle_input")  what passed since the last stamp was spent on this
        ...
        clock.step()               a step ends here
    clock.end()                    waits for the device and prints one line `stamps {...}`

Nothing here waits for the device before end(). Where a phase that is no step lies between steps,
`with clock.gap():` holds it; `clock.mark()` before and `clock.spent(cause)` after a statement tell
how long it took and what the device's idling during it is put down to; for how long the thread ran meanwhile is stamped too, and with
`Stamps(thread)` for how long that thread did, whose answer the loop waits for."""
import contextlib
import json
import time

import torch

WARMUP, FEW = 10, 30  # of at least FEW steps the first WARMUP are set aside


def ran_by(clock, before):
    """How long the thread of this clock has run; as before where it has ended."""
    try:
        return time.clock_gettime_ns(clock)
    except OSError:
        return before


class Stamps:
    def __init__(self, *answering):
        self.clocks = [time.CLOCK_THREAD_CPUTIME_ID, *(time.pthread_getcpuclockid(thread.ident) for thread in answering)]
        self.spans, self.gaps, self.ran = [], [], [0] * len(self.clocks)
        self.mark()
        self.ends = [self.last]

    def mark(self):
        self.last, self.ran = time.perf_counter_ns(), list(map(ran_by, self.clocks, self.ran))

    def spent(self, cause):
        begin, ran = self.last, self.ran
        self.mark()
        self.spans.append((cause, begin, self.last, sum(self.ran) - sum(ran)))

    def step(self):
        self.mark()
        self.ends.append(self.last)

    @contextlib.contextmanager
    def gap(self):
        begin = time.perf_counter_ns()
        yield
        self.mark()
        self.gaps.append((begin, self.last))

    def end(self):
        torch.cuda.synchronize()
        end, steps = time.perf_counter_ns(), len(self.ends) - 1
        warm = WARMUP if steps >= FEW else min(1, steps)
        gaps = sum(last - max(first, self.ends[warm]) for first, last in self.gaps if last > self.ends[warm])
        step = (end - self.ends[warm] - gaps) // (steps - warm) if steps > warm else None
        print("stamps", json.dumps({"steps": steps, "warm": warm, "step_ns": step, "end_ns": end, "ends": self.ends,
                                    "spans": self.spans, "gaps": self.gaps}))
