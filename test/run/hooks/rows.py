#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write a stand-in runtime and a program from hooks.def that call every hooked CUDA function.

usage: rows.py runtime|program >FILE.c

The runtime notes the bytes of the arguments it got, sets errno and returns what it was told to. The program calls
each function twice, once succeeding and once failing, and checks that arguments, result, errno, rounding mode,
floating point control and signal mask are as without a library in between. It prints one line per call."""
import re
import subprocess
import sys

SOURCE = """#define HOOK_ROW(l, type, name, params, args, capture, gate, flags) @@type|name|params
#include "preload/calls/hooks.def"
"""
INCLUDES = "#define _GNU_SOURCE\n" + "".join(f"#include {name}\n" for name in (
    '"preload/calls/abi.h"', '"preload/calls/driver_abi.h"', "<errno.h>", "<fenv.h>", "<signal.h>", "<stdint.h>", "<stdio.h>", "<stdlib.h>",
    "<string.h>", "<xmmintrin.h>"))
MIX = """
static uint64_t mix(uint64_t sum, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ull;
	return sum;
}
"""


def rows():
    out = subprocess.run(["gcc", "-E", "-P", "-I.", "-x", "c", "-"], input=SOURCE, text=True,
                         capture_output=True, check=True).stdout
    for piece in " ".join(out.split()).split("@@")[1:]:
        kind, name, params = piece.strip().split("|")
        inside = params.strip()[1:-1].strip()
        parameters = [] if inside == "void" else [split(part.strip()) for part in inside.split(",")]
        yield kind, name, parameters


def split(declaration):
    """Type and name of a parameter."""
    match = re.fullmatch(r"(.*?)(\w+)", declaration)
    return match[1].strip(), match[2]


def sums(parameters):
    return "".join(f"\tsum = mix(sum, &{name}, sizeof({name}));\n" for _, name in parameters)


def declare(parameters):
    return ", ".join(f"{kind} {name}" for kind, name in parameters) or "void"


def runtime():
    print(INCLUDES + "uint64_t runtime_seen;\nint runtime_errno, runtime_result;\n" + MIX)
    for kind, name, parameters in rows():
        print(f"{kind} {name}({declare(parameters)});\n{kind} {name}({declare(parameters)})\n{{\n\tuint64_t sum = 1;")
        print(sums(parameters) + "\truntime_seen = sum;\n\terrno = runtime_errno;")
        print("}" if kind == "void" else f"\treturn ({kind})runtime_result;\n}}")


def value(kind, name, at):
    """Fill a parameter: pointers lead to zeroed memory of their own, everything else gets a pattern."""
    if kind.endswith("*") or kind.endswith("]"):
        return f"\t{kind}{name} = ({kind})(memory + {at} * 512);\n"
    if kind.startswith("struct") or kind in ("dim3", "uint3", "CUmemLocation"):
        return f"\t{kind} {name};\n\tmemset(&{name}, {at + 1}, sizeof({name}));\n"
    if kind.endswith("_t") and kind != "size_t" or "(*" in kind:
        return f"\t{kind} {name} = ({kind})(uintptr_t)(memory + {at} * 512);\n"
    return f"\t{kind} {name} = ({kind}){at + 1};\n"


def program():
    print(INCLUDES + """extern uint64_t runtime_seen;
extern int runtime_errno, runtime_result;
static char memory[512 * 16] __attribute__((aligned(64)));
static int faults;
""" + MIX + """
static void check(const char *name, const char *what, int good)
{
	if (!good) {
		faults++;
		printf("FAULT %s: %s\\n", name, what);
	}
}

struct state {
	unsigned control;
	int rounding;
	sigset_t mask;
};

static struct state state_now(void)
{
	struct state state;
	memset(&state, 0, sizeof(state));
	state.control = _mm_getcsr() & ~0x3fu;
	state.rounding = fegetround();
	sigprocmask(SIG_SETMASK, NULL, &state.mask);
	return state;
}
""")
    names = []
    for kind, name, parameters in rows():
        names.append(name)
        print(f"{kind} {name}({declare(parameters)});\nstatic void call_{name}(int code)\n{{")
        print("\tmemset(memory, 0, sizeof(memory));\n\tstrcpy(memory + 512, \"text\");\n\truntime_result = code;")
        print(f"\truntime_errno = {100 + len(names) % 30};\n\terrno = 7;")
        print("".join(value(kind_of, parameter, at) for at, (kind_of, parameter) in enumerate(parameters)), end="")
        print("\tuint64_t sum = 1;\n" + sums(parameters) + "\tstruct state before = state_now();")
        call = f"{name}({', '.join(parameter for _, parameter in parameters)})"
        print(f"\t{'' if kind == 'void' else 'int got = (int)'}{call};\n\tint error = errno;")
        print("\tstruct state after = state_now();")
        if kind != "void":
            print(f'\tcheck("{name}", "result", got == code);')
        print(f'\tcheck("{name}", "errno", error == runtime_errno);')
        print(f'\tcheck("{name}", "arguments", sum == runtime_seen);')
        print(f'\tcheck("{name}", "state", memcmp(&before, &after, sizeof(before)) == 0);')
        print(f'\tprintf("{name} %d\\n", code);\n}}\n')
    print("int main(void)\n{\n\tfesetround(FE_UPWARD);\n\tsigset_t mask;\n\tsigemptyset(&mask);\n"
          "\tsigaddset(&mask, SIGUSR2);\n\tsigprocmask(SIG_SETMASK, &mask, NULL);")
    for name in names:
        print(f"\tcall_{name}(0);\n\tcall_{name}(2);")
    print("\treturn faults != 0;\n}")


if __name__ == "__main__":
    {"runtime": runtime, "program": program}[sys.argv[1]]()
