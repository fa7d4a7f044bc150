# SPDX-License-Identifier: MIT
"""Programs that are none of our business: output and status as without the library, and nothing is left behind."""
import functools
import pathlib
import shutil
import subprocess

from frame import Skip, attack, hold

PACKAGES = ["coreutils", "binutils", "diffutils", "findutils", "grep", "sed", "tar", "gzip", "git", "make", "perl-base", "mawk",
            "gcc-12", "bash", "dash", "file", "xz-utils", "bzip2", "zstd", "procps", "libc-bin", "python3-minimal", "man-db"]
WORK = ["sort -n --parallel=4 {data}", "sha256sum {data}", "tar -cf - {data}", "gzip -c {data}", "grep -c 7 {data}",
        "python3 -c 'import threading; t=threading.Thread(target=print, args=(1,)); t.start(); t.join()'",
        "python3 -c 'import subprocess; print(subprocess.run([\"true\"]).returncode)'",
        "python3 -c 'import multiprocessing as m; p=m.get_context(\"fork\").Process(target=print); p.start(); p.join(); print(p.exitcode)'",
        "python3 -c 'import ctypes; print(ctypes.CDLL(None).getpid() > 0)'",
        "bash -c 'for i in 1 2 3; do echo $i | cat; done; exit 9'", "bash -c 'kill -TERM $$'", "bash -c 'ulimit -n 8; cat {data}'",
        "perl -e 'print \"x\" x 1000; fork; wait; exit 4'", "git -C {tree} log -1 --format=%H", "make -n -f /dev/null",
        "find {tree}/docs -name '*.md'", "xargs -a {data} -n 500 echo", "env -i true", "awk '{{ s += $1 }} END {{ print s }}' {data}",
        "sh -c 'exec 3>&1; exec 1>&-; echo lost >&3'", "timeout -s KILL 1 sleep 5", "nohup true", "ldd /bin/true",
        "sh -c '(sleep 0.1; echo late) & wait'", "dd if={data} bs=7 count=100 status=none", "nice true", "gcc -v --help",
        "bash -c 'for i in $(seq 100); do /bin/true; (exit 3); x=$(echo $i); done; echo $x; exit 6'", "dash -c 'kill -SEGV $$'",
        "bash -c 'tar -C {tree} -czf - docs | tar -tzf - | sort'",
        "bash -c 'printf \"all: $(seq -s \" \" -f t%g 100)\\nt%%:\\n\\t@echo \\$@ | cat >/dev/null\\n\" | make -s -j4 -f - && echo made'",
        "bash -c 'git init -q tree && cd tree && echo 1 >a && git add a && git -c user.name=a -c user.email=a@b commit -qm 1 && git diff "
        "--stat HEAD && git gc -q && git fsck && git log --format=%T; cd .. && rm -rf tree'",
        "bash -c 'gdb -q -nx -batch -ex run --args bash -c \"exit 7\" 2>&1 | grep -c \"exited with code 07\"'", "strace -f -o /dev/null bash -c '/bin/true; exit 8'",
        "valgrind -q --error-exitcode=9 bash -c 'exit 4'", "node -e 'const w = require(\"worker_threads\"); new w.Worker(\"1\", {{eval: true}})"
        ".on(\"exit\", code => console.log(code + require(\"child_process\").execSync(\"echo 5\")))'",
        "perl -e '$SIG{{CHLD}} = sub {{ 1 while waitpid(-1, 1) > 0 }}; for (1..50) {{ exit 0 unless fork }} sleep 1 while wait() > 0; print 7'",
        "java -version", "busybox sh -c 'busybox seq 3 | busybox cat; exit 2'", "setpriv --no-new-privs true", "runuser -u nobody -- id -u",
        "su -s /bin/sh nobody -c 'id -u; exit 3'", "env -u LD_PRELOAD true",
        "python3 -c 'import os, subprocess; print(subprocess.run([\"sh\", \"-c\", \"ls /proc/self/fd | wc -l\"], close_fds=True).returncode)'",
        "python3 -c 'import ctypes, signal; signal.alarm(1); print(ctypes.CDLL(None).prctl(22, 1, 0, 0, 0)); signal.pause()'"]


def versions():
    """Programs of packages, all of which say their version."""
    for package in PACKAGES:
        listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=False).stdout.split()
        for path in listed:
            if path.startswith(("/bin/", "/usr/bin/")) and pathlib.Path(path).is_file():
                yield path


def both(context, command, errors=True):
    folder = context.folder()
    here, there, other = (folder / name for name in ("plain", "traced", "again"))
    for path in (here, there, other):
        path.mkdir()
    plain = context.run(command, cwd=here)
    again = context.run(command, cwd=other)
    if plain.status == 127:
        raise Skip(f"{command[-1].split()[1]} is not installed")
    left = len(list(here.iterdir()))
    if (plain.status, plain.out, left) != (again.status, again.out, len(list(other.iterdir()))):
        raise Skip("says something else each time")
    traced = context.traced(command, folder / "out", cwd=there)
    context.same(plain, traced, errors and plain.err == again.err)
    hold(not traced.said(), f"{traced.said()}")
    hold(not (folder / "out").exists(), "a trace of nothing")
    hold(len(list(there.iterdir())) == left, "other files are left")
    context.drop(folder)


@attack("programs", "programs of the system: their version, and some real work")
def try_programs(context):
    data = context.work / "data"
    data.write_text("".join(f"{number * 7919 % 10007}\n" for number in range(20000)))
    for text in context.pick([text for text in WORK if not context.short or shutil.which(text.split()[0])], 8):
        command = ["bash", "-c", "exec " + text.format(data=data, tree=pathlib.Path.cwd())]
        yield text, functools.partial(both, context, command)
    for path in context.pick(sorted(set(versions())), 12):
        if shutil.which(path):
            yield f"{path} --version", functools.partial(both, context, [path, "--version"])


def one_library(context, preloads, how):
    """Calls of a library in a scope of its own, with another dlsym before or behind: all of them, or it is said."""
    folder = context.folder()
    at = context.build / "attack"
    command = [at / "bound", at / "libbound.so", how, 100]
    preload = ":".join(str({"us": context.library, "other": at / "libdlsym.so"}[name]) for name in preloads)
    plain = context.alone(command, LD_LIBRARY_PATH=at / "runtime")
    traced = context.traced(command, folder / "out", preload=preload, LD_LIBRARY_PATH=at / "runtime", LIBTRACE_RUN_SINCE=1)
    hold((plain.status, plain.out) == (traced.status, traced.out), str(traced))
    there, lost, skipped, dumped = context.account(folder / "out")
    said = [line for line in traced.said() if "go past the hooks" in line or "goes past the hooks" in line]
    hold(there == 100 or said or "RTLD_DEEPBIND are missing" in dumped, f"{there} of 100 calls, and {traced.said()}")
    hold(there == 100 or preloads[0] == "other", f"{there} of 100 calls, and we are the first")
    context.drop(folder)


@attack("scopes", "calls of a library that was opened with RTLD_DEEPBIND or that looks them up, another dlsym before or behind")
def try_libraries(context):
    for preloads in (("us",), ("other", "us"), ("us", "other")):
        for how in ("linked", "found"):
            for scope in ("own", "shared"):
                yield f"{' '.join(preloads)} {how} {scope}", functools.partial(one_library, context, preloads, f"{how}-{scope}")
