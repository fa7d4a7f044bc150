# SPDX-License-Identifier: MIT
"""What recording costs a training loop, beside what other tools cost it: a table of ratios to the plain loop.

usage: bench_peers.py LIBRARY [PACKAGES]      LIBRARY: libtrace.so; PACKAGES: folder with VizTracer and py-spy
       bench_peers.py --loop LOOP TOOL        one of the processes
BENCH_LOOPS: which of the loops, both; BENCH_LIVES: processes of each kind

Every tool has a process of its own, and a new one several times, since two processes of one kind differ by some
hundredths for as long as they live: what is judged gets more of them, and how far a ratio is to be believed is told
by how they differ. They take turns, a block of steps each, with a block of the plain loop before each, which has two
processes in turn. Blocks are short and many, since what else the machine does changes with every second. The
threads of the program are on one processor, the same for all: on two processors one loop takes times that differ by
more than what is to be measured. What a tool does on threads of its own has the other ones. The first steps of a
block find the caches full of another process, so they are not timed: for 30 ms they take 2 to 5 hundredths longer,
with and without a tool, and no program that trains stands still so often. Whose turn it is not is stopped: py-spy
looks at a program that waits as often as at one that works, and device records took 5 hundredths longer beside it.

A virtual machine shares its cores with others: for some milliseconds, or for seconds, everything takes twice the time,
and nothing in /proc tells. So every 3 to 6 ms the same numbers are summed up, and steps are compared with those of
the plain loop that had as fast sums before and behind them.

Two processors may be threads of one core: then what a tool does on threads of its own is taken from the loop, which no
machine with a core for it shows. So it is said how long the same sums take alone and while another processor works.

A process's ratio is the time of its steps by the time that the plain loop takes for as many. It is that of sums, since
a budget spends what it may in few steps. What is printed is the mean of the processes without the highest and the
lowest tenth. The second plain process is among them: where it is not as fast as the first, nobody's ratio counts. The
others are compared with both, since the first is no more plain than the second, and half of what differs is theirs.

The simulated device is part of both sides. CUDASIM_COMPUTE=0 leaves out what kernels compute. CUDASIM_LAUNCH=3us is
what a launch takes elsewhere, and what the device's CUPTI does for one is a part of that. This CUPTI is not NVIDIA's:
what device records cost is what they cost on it, told by the lines with and without them."""
import contextlib
import itertools
import math
import os
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

LIVES = int(os.environ.get("BENCH_LIVES", "6"))  # processes of each kind, one after the other; 2 at least
LIVES_BESIDE = min(LIVES, 2)  # of those that are not judged
BLOCK_NS, UNTIMED_NS = 200_000_000, 50_000_000  # of steps that are timed, and of those before them
PART = {"host-bound": 10, "gpt": 1}  # steps between two sums, 3 to 6 ms
WARM = {"host-bound": 600, "gpt": 300}  # past the first steps, which the budget records whole and then saves
DEFAULT, ALL = "libtrace", "libtrace, LIBTRACE_BUDGET=off"
BARS = {  # tool: id, gate and goal
    "host-bound": {DEFAULT: ("P1", 1.12, 1.05), ALL: ("P2", 1.35, 1.25)},
    "gpt": {DEFAULT: ("P3", 1.10, 1.03), ALL: ("P4", 1.35, 1.25)},
}
ATTACH_SECONDS = 2  # for a tool that watches from outside
TURN_SECONDS = 60  # the first one starts PyTorch, in all processes at once
NOISE = 0.02  # by so much the second plain process may be off
NUMBERS = range(300, 2800)  # 25 to 50 us for their sum: one call, and no loop of Python's, which tools slow down
FASTEST = 0.01  # of the sums are left out when the fastest is looked for: some are faster than at any other time
PROBE_SECONDS = 2  # for as long the sums are looked at, beside each of the other processors
AS_FAST = 1.3  # times as long as the fastest, and as that, and so forth: what counts as equal
USUAL = 30  # parts of the plain loop between sums as fast say what one takes there
BLOCKS, BLOCKS_JUDGED = 6, {ALL: 16, DEFAULT: 96}  # of a process, of one that is judged: the nearer to 1 the more

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


def sums_ns(seconds):
    """What sums take, in order."""
    took, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter_ns()
        sum(NUMBERS)
        took.append(time.perf_counter_ns() - begin)
    return sorted(took)


def slower_beside_work():
    """How long sums usually take by the fastest ones, alone and while another processor works, the worst of them."""
    allowed = os.sched_getaffinity(0)
    own, *others = sorted(allowed)
    os.sched_setaffinity(0, {own})
    alone, beside = sums_ns(PROBE_SECONDS), 0
    for other in others:
        burn = f"import os; os.sched_setaffinity(0, {{{other}}})\nwhile True: pass"
        with subprocess.Popen([sys.executable, "-c", burn]) as burning:
            time.sleep(PROBE_SECONDS / 4)
            beside = max(beside, statistics.median(sums_ns(PROBE_SECONDS)))
            burning.kill()
    os.sched_setaffinity(0, allowed)
    fastest = alone[int(FASTEST * len(alone))]
    return statistics.median(alone) / fastest, max(beside, fastest) / fastest


def loop(name, tool):
    """Runs a block for each line, and says when each sum and each part began and ended."""
    step = LOOPS[name]()
    stamp = time.perf_counter_ns
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for _ in range(WARM[name]):
        step()
    with recording(tool):
        for _ in sys.stdin:
            pin(int(os.environ["BENCH_PROCESSOR"]))
            begin = stamp() + UNTIMED_NS
            while stamp() < begin:
                step()
            times = [stamp()]
            while True:
                sum(NUMBERS)
                times.append(stamp())
                if times[-1] > begin + BLOCK_NS:
                    break
                for _ in range(PART[name]):
                    step()
                times.append(stamp())
            answers.write(" ".join(map(str, times)) + "\n")
    os._exit(0)  # nobody wants what was recorded


def parts(stamps, fastest):
    """Each part of a block, and how fast the sums beside it were."""
    took = [end - begin for begin, end in zip(stamps, stamps[1:])]
    speeds = [max(0, int(math.log(number / fastest, AS_FAST))) for number in took[::2]]
    return [(frozenset(beside), part) for *beside, part in zip(speeds, speeds[1:], took[1::2])]


class Process:
    """Takes its turn on every call."""

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
        """From now on in its turns only: py-spy makes up for the samples that it has missed while it was stopped."""
        self.watcher = [os.path.join(packages, "bin", "py-spy"), "record", "--pid", str(self.child.pid), "--format",
                        "raw", "--output", os.path.join(work, "py-spy"), "--duration", "unlimited"]

    @contextlib.contextmanager
    def watched(self):
        if self.watcher is None:
            yield
            return
        with subprocess.Popen(self.watcher, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as watcher:
            try:
                time.sleep(ATTACH_SECONDS)
                yield
                if watcher.poll() is not None:
                    raise RuntimeError(f"{self.tool} has ended")
            finally:
                watcher.send_signal(signal.SIGINT)

    def turn(self, seconds=TURN_SECONDS):
        self.child.send_signal(signal.SIGCONT)
        with self.watched():
            self.child.stdin.write("\n")
            if not select.select([self.child.stdout], [], [], seconds)[0]:
                raise RuntimeError(f"{self.tool}: the loop does not go on")
            stamps = [int(stamp) for stamp in self.child.stdout.readline().split()]
        if not stamps:
            raise RuntimeError(f"{self.tool}: the loop has ended")
        self.child.send_signal(signal.SIGSTOP)
        return stamps

    def end(self):
        self.child.kill()
        self.child.wait()


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
        process.turn(TURN_SECONDS * len(processes))
        if process.tool == "py-spy":
            process.watch(packages, work)


def measure(name, library, packages, work):
    """Of each tool the ratio of each of its processes."""
    ratios = {}
    for life in range(LIVES):
        processes = []
        try:
            start(processes, name, library, packages, tempfile.mkdtemp(dir=work), life >= LIVES_BESIDE)
            blocks = {process.tool: [] for process in processes}
            plain = itertools.cycle(processes[:2])
            for number in range(max(BLOCKS_JUDGED.values())):
                for process in processes[2:]:
                    if number < BLOCKS_JUDGED.get(process.tool, BLOCKS):
                        for turning in (next(plain), process):
                            blocks[turning.tool].append(turning.turn())
        finally:
            for process in processes:
                process.end()
        for tool, value in compare(blocks).items():
            ratios.setdefault(tool, []).append(value)
    return ratios


def compare(blocks):
    """The ratio of each tool; without what the plain loop hardly ever had, as fast as the processor was then."""
    sums = sorted(end - begin for of in blocks.values() for stamps in of
                  for begin, end in zip(stamps[::2], stamps[1::2]))
    fastest = sums[int(FASTEST * len(sums))]
    parted = {tool: [part for stamps in of for part in parts(stamps, fastest)] for tool, of in blocks.items()}
    first, second = usual(parted.pop("plain")), usual(parted["plain again"])
    both = {speed: (value + second.get(speed, value)) / 2 for speed, value in first.items()}
    ratios = {}
    for tool, of in parted.items():
        plain = first if tool == "plain again" else both
        counted = [(part, plain[speed]) for speed, part in of if speed in plain]
        if counted:
            ratios[tool] = sum(part for part, _ in counted) / sum(plain for _, plain in counted)
    return ratios


def usual(of):
    """What a part takes, by how fast the sums beside it were."""
    speeds = {}
    for speed, part in of:
        speeds.setdefault(speed, []).append(part)
    return {speed: statistics.mean(values) for speed, values in speeds.items() if len(values) >= USUAL}


def middle(ratios):
    values = sorted(ratios)
    out = len(values) // 10
    return statistics.mean(values[out:len(values) - out])


def doubt(ratios):
    """Two standard errors of that mean."""
    low, _, high = statistics.quantiles(ratios, n=4)
    return 2 * (high - low) / 1.35 / len(ratios) ** 0.5


def is_known(ratios):
    return len(ratios) >= 2


def cell(ratios):
    return f"{middle(ratios):.3f} ({doubt(ratios):.3f})" if is_known(ratios) else "not known"


def line(what, ratios, bar, noisy):
    identity, gate, goal = bar
    value = f"{middle(ratios):.3f}" if is_known(ratios) else "-"
    result = "NOISY" if noisy or value == "-" else "ok" if float(value) <= gate else "FAIL"
    print(f"{identity} {what} {value} ratio limit 1.0 gate {gate} goal {goal} {result}")


def main(library, packages=""):
    chosen = [name for name in LOOPS if name in os.environ.get("BENCH_LOOPS", " ".join(LOOPS)).split()]
    alone, beside = slower_beside_work()
    work = tempfile.mkdtemp()
    try:
        table = {name: measure(name, library, packages, work) for name in chosen}
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"# loop with the tool / plain loop, mean of {LIVES} processes, of {LIVES_BESIDE} where nothing is judged "
          "(two standard errors)")
    print(f"# sums take {alone:.1f} times the fastest, and {beside:.1f} while another processor works; above "
          f"{AS_FAST} what a tool does on threads of its own is taken from the loop")
    print(f"# {'':32}" + "".join(f"{name:>18}" for name in chosen))
    for tool in table[chosen[0]]:
        print(f"# {tool:32}" + "".join(f"{cell(table[name][tool]):>18}" for name in chosen))
    for name in chosen:
        again = table[name]["plain again"]
        noisy = not is_known(again) or abs(middle(again) - 1) > NOISE or doubt(again) > NOISE
        if noisy:
            print(f"# {name}: the machine is too noisy: a second plain loop is not as fast as the first")
        for tool, bar in BARS[name].items():
            line(f"{name}_{'default' if tool == DEFAULT else 'all'}", table[name][tool], bar, noisy)


if __name__ == "__main__":
    if sys.argv[1] == "--loop":
        loop(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
