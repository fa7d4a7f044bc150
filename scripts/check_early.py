#!/usr/bin/env python3
"""What runs before the program's libraries are ready, from the objects of the library.

Sanitizers look up libc's functions through dlsym, and until they have done so each call of such a function
jumps to address 0. Whatever the interposed dlopen and dlsym, the constructor up to its first decision and
the first call of a libc function reach must therefore call nothing of libc but the loader itself. Functions
in the section .text.late (late.h: LATE) are entered only when that no longer holds; the walk ends there.
usage: scripts/check_early.py FOLDER     with the objects; prints one line for each call that must not be
"""
import pathlib
import re
import subprocess
import sys

ROOTS = ("dlopen", "dlsym", "construct", "real_resolve_libc", "first_syscall", "__asan_default_options")
ALLOWED = {
    "dlvsym", "dlerror",           # the loader's own, which nobody interposes before it works
    "__errno_location",            # the address of errno
    "__stack_chk_fail",            # does not return
    "_GLOBAL_OFFSET_TABLE_",
    "_DYNAMIC", "_r_debug",        # data of the loader's, complete before any code of a library runs
}
LATE = ".text.late"


def lines_of(objects, *options):
    """Lines of readelf by object."""
    said = subprocess.run(["readelf", "-W", *options, *objects], stdout=subprocess.PIPE, check=True).stdout
    current = str(objects[0])
    for line in said.decode().splitlines():
        if line.startswith("File: "):
            current = line[6:]
        yield current, line


def read_sections(objects):
    """(object, number) to name."""
    return {(file, int(found.group(1))): found.group(2)
            for file, line in lines_of(objects, "-S")
            for found in [re.match(r" *\[ *(\d+)\] (\.\S+)", line)] if found}


def read_symbols(objects, sections):
    """Where functions and data are: by object for what is local, by None for what is known to all."""
    places = {}
    for file, line in lines_of(objects, "-s"):
        words = line.split()
        if len(words) < 8 or not words[6].isdigit() or not words[0].endswith(":"):
            continue
        home = (file, sections.get((file, int(words[6])), ""))
        places[(file if words[4] == "LOCAL" else None, words[7])] = home
        if words[3] == "FUNC":
            places.setdefault(("root", words[7]), home)
    return places


def read_calls(objects):
    """(object, section) to the names that it refers to."""
    calls, section = {}, ""
    for file, line in lines_of(objects, "-r"):
        found = re.match(r"Relocation section '\.rela(\S+)'", line)
        if found:
            section = found.group(1)
        elif section.startswith(".text") and re.match(r"[0-9a-f]{16}  ", line):
            name = line.split()[4] if len(line.split()) > 4 else ""
            calls.setdefault((file, section), set()).add(name)
    return calls


def walk(places, calls):
    """The libc functions that are reached, with the way to them."""
    complaints, seen = [], set()
    waiting = []
    for root in ROOTS:
        if ("root", root) not in places:
            complaints.append(f"{root}: no such function in the objects")
        else:
            waiting.append((places[("root", root)], root))
    while waiting:
        (file, section), way = waiting.pop()
        if (file, section) in seen or section.startswith(LATE) or not section.startswith(".text"):
            continue
        seen.add((file, section))
        for name in sorted(calls.get((file, section), ())):
            home = (file, name) if name.startswith(".") else places.get((file, name)) or places.get((None, name))
            if home is not None:
                waiting.append((home, f"{way} > {re.sub(r'^[.]text[.]', '', name)}"))
            elif name not in ALLOWED:
                complaints.append(f"{way} > {name}: called before the program's libraries are ready")
    return complaints


def main():
    objects = sorted(str(path) for path in pathlib.Path(sys.argv[1]).rglob("*.o"))
    if not objects:
        print(f"{sys.argv[1]}: no objects")
        return 1
    places = read_symbols(objects, read_sections(objects))
    complaints = walk(places, read_calls(objects))
    print("".join(f"{line}\n" for line in complaints), end="")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
