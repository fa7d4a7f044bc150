#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Check the product's includes against the table of rooms; print one line per violation.

A room is a folder of preload/, collector/ or analyzer/. Files of one room may include any header of it;
from another room only what the table calls public, and only from rooms that its row allows. Neither the
rooms nor the units of one room (a .c and .h of one stem) include each other in a circle, and a
third-party header has one user.
usage: scripts/check_includes.py [TABLE]     in the folder that holds the three; TABLE: scripts/rooms.txt
"""
import os
import re
import sys

TOPS = ("preload", "collector", "analyzer")
SOURCES = (".c", ".h", ".S", ".def")
# What comes with the C library, the kernel and the compiler; anything else needs a "library" row.
SYSTEM = re.compile(
    r"(sys|linux|asm|arpa|net|netinet)/.*|(aio|alloca|assert|byteswap|cet|cpuid|ctype|dirent|dlfcn|elf"
    r"|endian|errno|fcntl|features|float|fnmatch|ftw|getopt|glob|grp|iconv|immintrin|inttypes|langinfo"
    r"|libgen|limits|link|locale|malloc|math|mqueue|netdb|poll|pthread|pwd|regex|sched|search|semaphore"
    r"|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn"
    r"|string|strings|syslog|termios|threads|time|ucontext|unistd|utime|wchar|wctype|x86intrin)\.h")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>|(\w+))', re.M)

complaints = []


def complain(place, text):
    complaints.append(f"{place}: {text}")


def names(column):
    return [] if column == "-" else column.split(",")


def read_table(path):
    """The rows as {room: (public headers, rooms it may use)}, and {third-party header: files}."""
    rooms, libraries = {}, {}
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) != 3:
                complain(f"{path}:{number}", "a row has three columns")
            elif words[0] == "library":
                libraries[words[1]] = names(words[2])
            elif words[0] in rooms:
                complain(f"{path}:{number}", f"a second row for {words[0]}")
            else:
                rooms[words[0]] = (names(words[1]), names(words[2]))
    return rooms, libraries


def read_includes():
    """Each source's includes as (file, line, name in quotes or None, name in angle brackets or None)."""
    for top in TOPS:
        for folder, _, files in sorted(os.walk(top)):
            for name in sorted(files):
                if not name.endswith(SOURCES):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as source:
                    text = source.read()
                yield path, 1, None, None
                for found in INCLUDE.finditer(text):
                    yield path, text.count("\n", 0, found.start()) + 1, found[1] or found[3], found[2]


def find_circle(edges):
    """One circle in {node: nodes} as a list that begins and ends with the same node, or None."""
    state = {}

    def visit(node, way):
        state[node] = "open"
        for after in sorted(edges.get(node, ())):
            if state.get(after) == "open":
                return way[way.index(after):] + [after]
            if after not in state:
                circle = visit(after, way + [after])
                if circle:
                    return circle
        state[node] = "done"
        return None

    for node in sorted(edges):
        circle = node not in state and visit(node, [node])
        if circle:
            return circle
    return None


def find_circles(edges):
    """Circles in {node: set of nodes}, as many as must be broken for none to be left."""
    circle = find_circle(edges)
    while circle:
        yield circle
        edges[circle[-2]].discard(circle[-1])
        circle = find_circle(edges)


def stem(path):
    return os.path.splitext(path)[0]


def check_border(place, room, header, rooms):
    """One include that leaves its room; True when the table allows it."""
    owner, name = os.path.split(header)
    if owner not in rooms:
        complain(place, f'"{header}" is in no room of the table')
    elif owner not in rooms[room][1]:
        complain(place, f"{room} may not use {owner} ({name})")
    elif name not in rooms[owner][0]:
        complain(place, f"{name} is not a public header of {owner}")
    else:
        return True
    return False


def check_library(place, path, header, libraries, users):
    if SYSTEM.fullmatch(header):
        return
    if header not in libraries:
        complain(place, f"<{header}> belongs to no library row")
    elif path not in libraries[header]:
        complain(place, f"<{header}> is for {', '.join(sorted(libraries[header]))} alone")
    users.add(header)


def main():
    table = sys.argv[1] if len(sys.argv) > 1 else "scripts/rooms.txt"
    rooms, libraries = read_table(table)
    folders, crossed, used_rooms, used_libraries, units = set(), set(), set(), set(), {}
    for path, line, header, library in read_includes():
        place, room = f"{path}:{line}", os.path.dirname(path)
        if room not in folders:
            folders.add(room)
            if room not in rooms:
                complain(room, f"no row in {table}")
        if library:
            check_library(place, path, library, libraries, used_libraries)
        if not header or room not in rooms:
            continue
        if not os.path.isfile(header):
            complain(place, f'"{header}" is no file of the project, written from the root')
        elif os.path.dirname(header) == room:
            if stem(header) != stem(path):
                units.setdefault(room, {}).setdefault(stem(path), set()).add(stem(header))
        elif check_border(place, room, header, rooms):
            crossed.add(header)
            used_rooms.add((room, os.path.dirname(header)))
    for room, (public, uses) in sorted(rooms.items()):
        if room not in folders:
            complain(table, f"the room {room} has no files")
        for name in public:
            if os.path.join(room, name) not in crossed:
                complain(table, f"{room}: no other room includes the public header {name}")
        for other in uses:
            if (room, other) not in used_rooms:
                complain(table, f"{room}: nothing of {other} is included")
    for header in sorted(set(libraries) - used_libraries):
        complain(table, f"no file includes <{header}>")
    for circle in find_circles({room: set(uses) for room, (_, uses) in rooms.items()}):
        complain(table, "rooms in a circle: " + " -> ".join(circle))
    for room, edges in sorted(units.items()):
        for circle in find_circles(edges):
            complain(room, "files in a circle: " + " -> ".join(map(os.path.basename, circle)))
    print("".join(line + "\n" for line in complaints), end="")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
