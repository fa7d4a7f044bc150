# SPDX-License-Identifier: MIT
"""Pointers that lead nowhere, handed to every hooked function: what happens is what happens without the library."""
import functools
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run/hooks"))
import rows  # noqa: E402

from frame import attack, hold

# they would wait for ever, or end what makes the tries
LEFT_OUT = {"_exit", "_Exit", "quick_exit", "system", "pclose", "sleep", "usleep", "wait", "syscall"}
HOSTILE = ["0", "1", "8", "0xfff", "(uintptr_t)closed", "(uintptr_t)(closed - 1)", "(uintptr_t)(closed - 8)",
           "0x7ffffffff000", "0x8000000000000000", "(uintptr_t)-1", "(uintptr_t)-4096"]
START = """
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char *closed;

static void prepare(void)
{
	char *pages = mmap((void *)0x200000000000, 8192, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	(void)mprotect(pages + 4096, 4096, PROT_NONE);
	closed = pages + 4096;
	/* what is nobody else's, whatever is opened meanwhile */
	(void)dup2(open("/dev/zero", O_RDWR), 50);
	struct rlimit none = {0, 0};
	(void)setrlimit(RLIMIT_CORE, &none);
}

/* What a call does is seen from outside: what it returns, errno, or the signal that ends it. */
static void in_child(const char *name, unsigned which, void (*call)(uintptr_t), uintptr_t value)
{
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		(void)alarm(5);
		begin();
		call(value);
		(void)fflush(stdout);
		_exit(0);
	}
	int status = 0;
	(void)waitpid(pid, &status, 0);
	printf("%s %u: %x\\n", name, which, status);
}
"""


def libc_rows():
    source = """#define WAIT(l, type, name, params, args, what, descriptor, bytes, object) @@type|name|params
#include "preload/calls/hooks.def"
"""
    out = subprocess.run(["gcc", "-E", "-P", "-I.", "-x", "c", "-"], input=source, text=True, capture_output=True,
                         check=True).stdout
    for piece in " ".join(out.split()).split("@@")[1:]:
        kind, name, params = (part.strip() for part in piece.strip().split("|"))
        inside = params[1:-1].strip()
        yield kind, name, [] if inside == "void" else [rows.split(part.strip()) for part in inside.split(",")]


def is_pointer(kind):
    return kind.endswith(("*", "]", "_ARG")) or kind.strip() in ("__SOCKADDR_ARG", "__CONST_SOCKADDR_ARG")


def has_pointers(row):
    _, name, parameters = row
    return name not in LEFT_OUT and any(is_pointer(of) for of, _ in parameters)


def calls(table, note):
    """C functions that call each row with the same value in every pointer."""
    names = []
    for kind, name, parameters in table:
        names.append(name)
        yield f"static void call_{name}(uintptr_t everywhere)\n{{\n\t(void)everywhere;\n\terrno = 7;\n"
        for at, (of, parameter) in enumerate(parameters):
            if is_pointer(of):
                # a type that the compiler takes for a union of all socket addresses is given as what it stands for
                of = of.replace("__CONST_SOCKADDR_ARG", "const struct sockaddr *").replace("__SOCKADDR_ARG", "struct sockaddr *")
                yield f"\t{of} {parameter} = ({of})everywhere;\n"
            elif note and "pthread_t" in of:
                yield f"\t{of} {parameter} = pthread_self();\n"
            else:
                yield rows.value(of, parameter, at) if not note else f"\t{of} {parameter} = ({of}){50 if parameter == 'fd' else 1};\n"
        call = f"{name}({', '.join(parameter for _, parameter in parameters)})"
        yield f"\t{'' if kind == 'void' else 'long got = (long)'}{call};\n"
        yield f"\tprintf(\"{name} %lx: %ld %d\\n\", everywhere, {'0l' if kind == 'void' else 'got'}, errno);\n}}\n\n"
    yield "int main(void)\n{\n\tprepare();\n"
    for name in names:
        for which, value in enumerate(HOSTILE):
            yield f"\tin_child(\"{name}\", {which}, call_{name}, {value});\n"
    yield "\treturn 0;\n}\n"


def write_program(path, table, note, begin):
    declared = "" if note else "".join(f"{kind} {name}({rows.declare(parameters)});\n" for kind, name, parameters in table)
    text = rows.INCLUDES + "extern uint64_t runtime_seen;\nextern int runtime_errno, runtime_result;\n" \
        "static char memory[512 * 16] __attribute__((aligned(64)));\nint cudaStreamSynchronize(cudaStream_t stream);\n" \
        + declared + begin + START + "".join(calls(table, note))
    path.write_text(text)


def one_program(context, program, out):
    plain = context.run([program], limit=600)
    hold(len(plain.out) > 100, str(plain))
    traced = context.traced([program], out, limit=600)
    here, there = plain.out.decode().splitlines(), traced.out.decode().splitlines()
    other = sorted(set(here) ^ set(there))
    hold(not other, f"{len(other)} lines differ, of {sorted({line.split()[0] for line in other})}: {'; '.join(other[:12])}")
    hold((plain.status, len(here)) == (traced.status, len(there)), f"{traced}")


@attack("pointers", "eleven addresses that lead nowhere in every pointer of every hooked function of CUDA and libc")
def try_pointers(context):
    folder = context.folder()
    runtime = folder / "libcudart.so.12"
    source = folder / "runtime.c"
    source.write_text(subprocess.run([sys.executable, "test/run/hooks/rows.py", "runtime"], capture_output=True, text=True,
                                     check=True).stdout)
    flags = ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-w", "-I."]
    subprocess.run([*flags, "-shared", "-fPIC", "-Wl,-soname,libcudart.so.12", "-o", runtime, source], check=True)
    tables = {"libc": (list(libc_rows()), True), "cuda": (list(rows.rows()), False)}
    for name, (table, note) in tables.items():
        # one program for all of them in CI, several beside each other else
        size = 50
        table = context.pick((row for row in table if has_pointers(row)), size // 2)
        for part in range(0, len(table), size):
            yield build_part(context, folder, runtime, flags, f"{name}{part // size}", table[part:part + size], note)


def build_part(context, folder, runtime, flags, name, table, note):
    # on a thread that feeds the device, waits are looked at; a call of the runtime fails, as it does with such pointers
    feeds = "static void begin(void)\n{\n\truntime_result = 0;\n\t(void)cudaStreamSynchronize(NULL);\n\truntime_result = 1;\n}\n"
    write_program(folder / f"{name}.c", table, note, feeds)
    built = subprocess.run([*flags, "-o", folder / name, folder / f"{name}.c", runtime, f"-Wl,-rpath,{folder}", "-lpthread"],
                           capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise AssertionError(re.sub(r"\s+", " ", built.stderr)[:400])
    return f"{name}, {len(table)} functions", functools.partial(one_program, context, folder / name, folder / f"out-{name}")
