# SPDX-License-Identifier: MIT
"""What recording costs a training loop, beside what other tools cost it: a table of ratios to the plain loop.

usage: bench_peers.py LIBRARY [PACKAGES]      LIBRARY: libtrace.so; PACKAGES: folder with VizTracer and py-spy
       bench_peers.py --loop LOOP TOOL        one of the processes

Every tool has a process of its own, and a new one several times, since two processes of one kind differ by some
hundredths for as long as they live: what is judged gets more of them, and how far a ratio is to be believed is told
by how they differ. They take turns, a block of steps each, with blocks of the plain loop before and behind each. The
threads of the program are on one processor, the same for all: on two processors one loop takes times that differ by
more than what is to be measured. What a tool does on threads of its own has the other ones. The first steps of a
block find the caches full of another process, and memory given back in which a tenth of a second is to be kept, so
they are not timed: a loop that stands still between blocks of 20 ms pays for that in each of them, by some
hundredths, and no program that trains does. Whose turn it is not is stopped: py-spy looks at a program that waits as
often as at one that works, and device records took 5 hundredths longer beside it. What is printed is the mean of the
ratios without the highest and the lowest tenth, since a budget spends what it may in few steps, which a median would
not see. A second plain process is among them: where it is not as fast as the first, nobody's ratio counts. On a
machine that others use as well, what the plain loop takes changes by a half from second to second: a block beside
which it did is not counted but tried again.

The simulated device is part of both sides. CUDASIM_COMPUTE=0 leaves out what kernels compute. CUDASIM_LAUNCH=3us is
what a launch takes elsewhere, and what the device's CUPTI does for one is a part of that. This CUPTI is not NVIDIA's:
what device records cost is what they cost on it, told by the lines with and without them."""
import contextlib
import os
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 3  # blocks of each process
LIVES = int(os.environ.get("BENCH_LIVES", "18"))  # processes of each kind, one after the other; 2 at least
LIVES_BESIDE = min(LIVES, 6)  # of those that are not judged
PARTS = 6  # of a block
BLOCK = {"host-bound": 1200, "gpt": 90}  # steps, a third of a second
UNTIMED = {"host-bound": 600, "gpt": 45}  # steps before each block
WARM = {"host-bound": 600, "gpt": 300}  # past the first steps, which the budget records whole and then saves
DEFAULT, ALL = "libtrace", "libtrace, LIBTRACE_BUDGET=off"
BARS = {  # tool: id, gate and goal
    "host-bound": {DEFAULT: ("P1", 1.12, 1.05), ALL: ("P2", 1.35, 1.25)},
    "gpt": {DEFAULT: ("P3", 1.10, 1.03), ALL: ("P4", 1.35, 1.25)},
}
ATTACH_SECONDS = 2  # for a tool that watches from outside: it does not find into a program that is stopped
TURN_SECONDS = 60  # the first one starts PyTorch
NOISE = 0.02  # by so much the second plain process may be off
STEADY = 1.15  # by so much parts of the plain blocks beside it may differ
TRIES = 4  # of a block

OURS = {
    ALL: {"LIBTRACE_BUDGET": "off"},
    DEFAULT: {},
    "libtrace, no device records": {"LIBTRACE_SOURCES": "default,-activity"},
    "libtrace, device records only": {"LIBTRACE_SOURCES": "default,-torch,-python"},
    "libtrace, calls only": {"LIBTRACE_SOURCES": "default,-torch,-activity,-python"},
}
OTHERS = ("torch.profiler", "torch.profiler, with stacks", "VizTracer", "cProfile", "py-spy")


def host_bound():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, y = torch.randn(64, 32).cuda(), torch.randn(64, 1).cuda()

    def step():
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
    return step


def gpt():
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.before, self.behind = nn.LayerNorm(width), nn.LayerNorm(width)
            self.three, self.one = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            batch, length, width = x.shape
            heads = [part.view(batch, length, 4, width // 4).transpose(1, 2)
                     for part in self.three(self.before(x)).split(width, 2)]
            weights = (heads[0] @ heads[1].transpose(-2, -1) / 8).softmax(-1)
            x = x + self.one((weights @ heads[2]).transpose(1, 2).reshape(batch, length, width))
            return x + self.mlp(self.behind(x))

    width, length, words = 64, 32, 128
    embed, head = nn.Embedding(words, width).cuda(), nn.Linear(width, words).cuda()
    blocks = nn.Sequential(*(Block(width) for _ in range(3))).cuda()
    optimizer = torch.optim.AdamW([*embed.parameters(), *blocks.parameters(), *head.parameters()], lr=1e-4)
    tokens = torch.randint(words, (4, length + 1)).cuda()

    def step():
        logits = head(blocks(embed(tokens[:, :-1])))
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
    return step


LOOPS = {"host-bound": host_bound, "gpt": gpt}


@contextlib.contextmanager
def recording(tool):
    """By the tools that are started from within."""
    if tool.startswith("torch.profiler"):
        import torch
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities, with_stack=tool.endswith("stacks")):
            yield
    elif tool == "VizTracer":
        import viztracer
        tracer = viztracer.VizTracer(verbose=0)
        tracer.start()
        yield
        tracer.stop()
    elif tool == "cProfile":
        import cProfile
        profile = cProfile.Profile()
        profile.enable()
        yield
        profile.disable()
    else:
        yield


def pin(processor):
    """The threads of the program, not those of a tool."""
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError):
            with open(f"/proc/self/task/{thread}/comm") as comm:
                if comm.read().startswith(("python", "pt_autograd")):
                    os.sched_setaffinity(int(thread), {processor})


def idlest():
    """The processor that had least to do for a moment."""
    def idle():
        with open("/proc/stat") as stat:
            return {int(row.split()[0][3:]): int(row.split()[4]) for row in stat
                    if row.startswith("cpu") and row[3] != " "}
    before = idle()
    time.sleep(0.5)
    after = idle()
    return max(os.sched_getaffinity(0), key=lambda number: after[number] - before[number])


def loop(name, tool):
    """Runs as many steps as each line asks for, and says how long they took."""
    step = LOOPS[name]()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for _ in range(WARM[name]):
        step()
    with recording(tool):
        for line in sys.stdin:
            pin(int(os.environ["BENCH_PROCESSOR"]))
            for _ in range(UNTIMED[name]):
                step()
            times = [time.perf_counter_ns()]
            for _ in range(PARTS):
                for _ in range(int(line)):
                    step()
                times.append(time.perf_counter_ns())
            answers.write(" ".join(str(end - begin) for begin, end in zip(times, times[1:])) + "\n")
    os._exit(0)  # nobody wants what was recorded


class Process:
    """Takes its turn on every call, and returns the nanoseconds that its parts took."""

    def __init__(self, name, tool, settings, packages, work):
        environment = dict(os.environ, CUDASIM_COMPUTE="0", CUDASIM_LAUNCH="3us", OMP_NUM_THREADS="1",
                           CUDASIM_KERNELS="*=0us" if name == "host-bound" else "*=2us",
                           PYTHONPATH=packages, PYTHONHASHSEED="0", **settings)
        self.tool = tool
        self.child = subprocess.Popen([sys.executable, __file__, "--loop", name, tool], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=open(os.path.join(work, "log"), "a"),
                                      text=True, bufsize=1, env=environment)
        self.watcher = None

    def watch(self, packages, work):
        command = [os.path.join(packages, "bin", "py-spy"), "record", "--pid", str(self.child.pid), "--format", "raw",
                   "--output", os.path.join(work, "py-spy"), "--duration", "unlimited"]
        self.child.send_signal(signal.SIGCONT)
        self.watcher = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(ATTACH_SECONDS)
        self.send(signal.SIGSTOP)

    def send(self, number):
        """A program that is watched waits by itself, and whoever watches it by ptrace cannot have it stopped twice."""
        (self.watcher or self.child).send_signal(number)

    def turn(self, steps):
        self.send(signal.SIGCONT)
        self.child.stdin.write(f"{steps // PARTS}\n")
        if not select.select([self.child.stdout], [], [], TURN_SECONDS)[0]:
            raise RuntimeError(f"{self.tool}: the loop does not go on")
        took = [int(part) for part in self.child.stdout.readline().split()]
        if not took:
            raise RuntimeError(f"{self.tool}: the loop has ended")
        self.send(signal.SIGSTOP)
        if self.watcher is not None and self.watcher.poll() is not None:
            raise RuntimeError(f"{self.tool} has ended")
        return took

    def end(self):
        for process in (self.watcher, self.child):
            if process is not None:
                process.kill()
                process.wait()


def start(processes, name, library, packages, work, judged_only):
    os.environ["BENCH_PROCESSOR"] = str(idlest())
    processes += [Process(name, "plain", {}, "", work), Process(name, "plain again", {}, "", work)]
    for number, (tool, settings) in enumerate(OURS.items()):
        if tool in BARS[name] or not judged_only:
            settings = dict(settings, LD_PRELOAD=library, LIBTRACE_LOG="quiet",
                            LIBTRACE_OUT=os.path.join(work, f"{name}-{number}"))
            processes.append(Process(name, tool, settings, "", work))
    for tool in () if judged_only else OTHERS:
        if packages or tool not in ("VizTracer", "py-spy"):
            processes.append(Process(name, tool, {}, packages, work))
    for process in processes:
        process.turn(PARTS)
        if process.tool == "py-spy":
            process.watch(packages, work)


def ratio(plain, process, steps, before):
    """To the plain loop before and behind it, and what that took last. None: it changed its speed every time."""
    for _ in range(TRIES):
        own, after = process.turn(steps), plain.turn(steps)
        if max(before + after) < STEADY * min(before + after):
            return 2 * sum(own) / sum(before + after), after
        before = after
    return None, before


def measure(name, library, packages, work):
    """Ratios of each tool, of each of its processes."""
    ratios = {}
    for life in range(LIVES):
        processes = []
        try:
            start(processes, name, library, packages, tempfile.mkdtemp(dir=work), life >= LIVES_BESIDE)
            plain, *others = processes
            before = plain.turn(BLOCK[name])
            for process in others:
                ratios.setdefault(process.tool, []).append([])
            for process in others * ROUNDS:
                value, before = ratio(plain, process, BLOCK[name], before)
                ratios[process.tool][-1] += [value] if value is not None else []
        finally:
            for process in processes:
                process.end()
    return ratios


def middle(lives):
    values = sorted(value for life in lives for value in life)
    out = len(values) // 10
    return statistics.mean(values[out:len(values) - out])


def doubt(lives):
    """Two standard errors of that mean, by the processes: blocks of one are alike."""
    means = [statistics.mean(life) for life in lives if life]
    low, _, high = statistics.quantiles(means, n=4)
    return 2 * (high - low) / 1.35 / len(means) ** 0.5


def is_known(lives):
    return sum(bool(life) for life in lives) >= max(2, len(lives) / 2)


def cell(lives):
    return f"{middle(lives):.3f} ({doubt(lives):.3f})" if is_known(lives) else "not known"


def line(what, lives, bar, noisy):
    identity, gate, goal = bar
    value = f"{middle(lives):.3f}" if is_known(lives) else "-"
    result = "NOISY" if noisy or value == "-" else "ok" if float(value) <= gate else "FAIL"
    print(f"{identity} {what} {value} ratio limit 1.0 gate {gate} goal {goal} {result}")


def main(library, packages=""):
    work = tempfile.mkdtemp()
    try:
        table = {name: measure(name, library, packages, work) for name in BLOCK}
    finally:
        shutil.rmtree(work, ignore_errors=True)
    every = [life for tools in table.values() for lives in tools.values() for life in lives]
    print(f"# loop with the tool / plain loop, of {ROUNDS} blocks between plain ones in each of {LIVES} processes, of "
          f"{LIVES_BESIDE} where nothing is judged (two standard errors)")
    print(f"# beside {len(every) * ROUNDS - sum(map(len, every))} of {len(every) * ROUNDS} blocks the plain loop "
          "changed its speed, so they are left out")
    for tool in table["gpt"]:
        print(f"# {tool:32}" + "".join(f"{cell(table[name][tool]):>18}" for name in BLOCK))
    for name, bars in BARS.items():
        again = table[name]["plain again"]
        noisy = not is_known(again) or abs(middle(again) - 1) > NOISE or doubt(again) > NOISE
        if noisy:
            print(f"# {name}: the machine is too noisy: a second plain loop is not as fast as the first")
        for tool, bar in bars.items():
            line(f"{name}_{'default' if tool == DEFAULT else 'all'}", table[name][tool], bar, noisy)


if __name__ == "__main__":
    if sys.argv[1] == "--loop":
        loop(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
