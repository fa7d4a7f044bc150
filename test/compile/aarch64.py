# SPDX-License-Identifier: MIT
"""The assembly for aarch64, run on an emulated processor: aarch64.py FOLDER, where as and ld put their files.

Functions that the assembly calls are played here. Each overwrites every register that a function may, so that what is
not kept across it is seen to be lost."""
import os
import random
import re
import struct
import subprocess
import sys

from unicorn import UC_ARCH_ARM64, UC_HOOK_CODE, UC_MODE_ARM, Uc, UcError
from unicorn import arm64_const as reg

CODE, OUTSIDE, STACK, STACK_BYTES = 0x100000, 0x900000, 0x2000000, 0x10000
PLAYED = ("probe_enter", "probe_leave", "probe_personality", "loader_filter_dlopen", "loader_filter_dlsym")
PLACES = {name: OUTSIDE + 64 * i for i, name in enumerate(PLAYED + ("target", "next", "caller"))}
# the caller's registers that a function has to leave as they are
KEPT_WORDS, KEPT_VECTORS = range(19, 30), range(8, 16)
failures = passed = 0


def check(what, expected, got):
    global failures, passed
    if expected == got:
        passed += 1
        return
    failures += 1
    if failures < 10:
        print(f"FAIL {what}: not {expected} but {got}")


def words(*numbers):
    return [reg.UC_ARM64_REG_X0 + n if n < 29 else (reg.UC_ARM64_REG_X29, reg.UC_ARM64_REG_X30)[n - 29] for n in numbers]


def vectors(*numbers):
    return [reg.UC_ARM64_REG_Q0 + n for n in numbers]


def link(folder, source):
    """The text and data of an assembly file, linked to where it will lie, and the addresses of its names."""
    plain, made, image = (os.path.join(folder, name) for name in ("a.s", "a.o", "a.elf"))
    with open(plain, "w") as file:
        subprocess.run(["gcc", "-E", "-P", "-x", "assembler-with-cpp", source], stdout=file, check=True)
    subprocess.run(["aarch64-linux-gnu-as", "-o", made, plain], check=True)
    given = [f"--defsym={name}={PLACES[name]:#x}" for name in PLAYED]
    given += [f"--defsym=loader_next_{name}={PLACES['next'] + 8:#x}" for name in ("dlopen", "dlsym")]
    subprocess.run(["aarch64-linux-gnu-ld", "-o", image, "-e", "0", f"-Ttext={CODE:#x}", *given, made], check=True)
    text = os.path.join(folder, "a.bin")
    subprocess.run(["aarch64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", image, text], check=True)
    listed = subprocess.run(["aarch64-linux-gnu-nm", image], check=True, capture_output=True, text=True).stdout
    with open(text, "rb") as file:
        return file.read(), {name: int(at, 16) for at, name in re.findall(r"^(\w+) \w (\S+)$", listed, re.MULTILINE)}


class Machine:
    def __init__(self, code):
        self.uc = Uc(UC_ARCH_ARM64, UC_MODE_ARM)
        self.uc.mem_map(CODE, 0x100000)
        self.uc.mem_write(CODE, code)
        self.uc.mem_map(OUTSIDE, 0x1000)
        self.uc.mem_write(OUTSIDE, struct.pack("<I", 0xd65f03c0) * 1024)  # ret
        self.uc.mem_map(STACK, STACK_BYTES)
        self.uc.reg_write(reg.UC_ARM64_REG_CPACR_EL1, 3 << 20)  # vectors are allowed
        self.random = random.Random(1)
        self.log = []
        self.played = {}
        self.uc.hook_add(UC_HOOK_CODE, self.outside, begin=OUTSIDE, end=OUTSIDE + 0xfff)

    def outside(self, uc, address, size, data):
        name = next((name for name, at in PLACES.items() if at == address), None)
        if name in self.played:
            self.log.append(name)
            self.played[name]()

    def get(self, registers):
        return [self.uc.reg_read(r) for r in registers]

    def put(self, registers, values):
        for register, value in zip(registers, values, strict=True):
            self.uc.reg_write(register, value)

    def numbers(self, count, bits=64):
        return [self.random.getrandbits(bits) for _ in range(count)]

    def clobber(self):
        """What any function may overwrite."""
        self.put(words(*range(18)), self.numbers(18))
        self.put(vectors(*range(8), *range(16, 32)), self.numbers(24, 128))
        self.uc.reg_write(reg.UC_ARM64_REG_NZCV, self.random.getrandbits(4) << 28)

    def call(self, address, stack):
        """From a caller with other numbers in all registers; returns what a function must keep, before and after."""
        uc = self.uc
        self.put(words(*range(30)), self.numbers(30))
        self.put(vectors(*range(32)), self.numbers(32, 128))
        uc.mem_write(STACK, bytes(self.random.getrandbits(8) for _ in range(STACK_BYTES)))
        uc.reg_write(reg.UC_ARM64_REG_SP, stack)
        uc.reg_write(reg.UC_ARM64_REG_X30, PLACES["caller"])
        self.log.clear()

        def kept():
            return [stack_of(self), *self.get(words(*KEPT_WORDS)), *(q & (1 << 64) - 1 for q in self.get(vectors(*KEPT_VECTORS)))]
        before, above = kept(), uc.mem_read(stack, STACK + STACK_BYTES - stack)
        yield before
        uc.emu_start(address, PLACES["caller"])
        check("what a function keeps", before, kept())
        check("the caller's stack", above, uc.mem_read(stack, STACK + STACK_BYTES - stack))


def stack_of(machine):
    return machine.uc.reg_read(reg.UC_ARM64_REG_SP)


def probe(machine, names, number, recorded):
    """A call of stub NUMBER, which is to be recorded or not."""
    stack = STACK + STACK_BYTES - 1024 - 16 * machine.random.randrange(32)
    arguments = words(*range(9)) + vectors(*range(8))
    results = words(0, 1) + vectors(0, 1, 2, 3)
    passed_on, returned = [], []

    def enter():
        check("probe_enter's number", number, machine.get(words(0))[0])
        check("probe_enter's frame", stack - 16, machine.get(words(1))[0])
        check("its stack is aligned", 0, stack_of(machine) % 16)
        machine.clobber()
        machine.put(words(0, 1), [PLACES["target"], recorded])

    def target():
        check("arguments", passed_on, machine.get(arguments))
        at = stack_of(machine)
        check("the target's stack is aligned", 0, at % 16)
        check("arguments on the stack", machine.uc.mem_read(stack, 512), machine.uc.mem_read(at, 512))
        check("the target returns to the caller", not recorded, machine.get(words(30))[0] == PLACES["caller"])
        check("the target's stack is the caller's", not recorded, at == stack)
        machine.clobber()
        returned.extend(machine.numbers(2) + machine.numbers(4, 128))
        machine.put(results, returned)

    def leave():
        check("probe_leave's frame", stack - 16, machine.get(words(0))[0])
        machine.clobber()
    machine.played = {"probe_enter": enter, "target": target, "probe_leave": leave}
    for _ in machine.call(names["probe_stubs"] + 16 * number, stack):
        passed_on.extend(machine.get(arguments))
    check("results", returned, machine.get(results))
    check("calls", ["probe_enter", "target", "probe_leave"] if recorded else ["probe_enter", "target"], machine.log)


def loader(machine, names, name, answer):
    """dlopen or dlsym; ANSWER is what the filter of dlsym says: a result, or None."""
    stack = STACK + STACK_BYTES - 256
    given, result = [], []

    def filter_():
        check(f"{name}: what the filter sees", [*given, stack], machine.get(words(0, 1, 2)))
        machine.clobber()
        machine.put(words(0, 1), [7 if answer is None else answer, int(answer is not None)])

    def following():
        check(f"{name}: arguments", given, machine.get(words(0, 1)))
        check(f"{name}: as if called by the caller", [PLACES["caller"], stack], [machine.get(words(30))[0], stack_of(machine)])
        machine.clobber()
        result.extend(machine.numbers(1))
        machine.put(words(0), result)
    machine.uc.mem_write(PLACES["next"] + 8, struct.pack("<Q", PLACES["next"]))
    machine.played = {f"loader_filter_{name}": filter_, "next": following}
    for _ in machine.call(names[name], stack):
        given.extend(machine.get(words(0, 1)))
    answered = name == "dlsym" and answer is not None
    check(f"{name}: the result", [answer] if answered else result, machine.get(words(0)))
    check(f"{name}: calls", [f"loader_filter_{name}"] + ["next"] * (not answered), machine.log)


def main(folder):
    code, names = link(folder, "preload/probe/stub_aarch64.S")
    machine = Machine(code)
    for number in (0, 1, 255, 256, 4094, 4095):
        for recorded in (0, 1):
            probe(machine, names, number, recorded)
    code, names = link(folder, "preload/loader/loader_aarch64.S")
    machine = Machine(code)
    for name in ("dlopen", "dlsym"):
        for answer in (None, 0x1234, 0):
            loader(machine, names, name, answer)
    print(f"{passed} passed, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except UcError as error:
        sys.exit(f"the processor stopped: {error}")
