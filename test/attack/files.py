# SPDX-License-Identifier: MIT
"""Hostile traces: whole in form, with right checksums, and wrong in what they say."""
import copy
import functools
import json
import pathlib
import struct
from random import Random

import msgpack
import zstandard

from failing import victim
from frame import attack, hold, read_trace

NUMBERS = [0, 1, -1, 2, 63, 64, 255, 256, 4095, 4096, 4097, 16384, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53,
           2**63 - 1, 2**63, 2**64 - 1, -2**31, -2**63]
TEXTS = [b"", b"\0", b"\x1b[2J", b"\xff\xfe", b"a" * 70000, b"%n%s", b"</script>", b"../" * 50, b"\r\n", b"=1+1", b"t", b"events",
         b"\xe2\x80\xae", b"op", b"launch"]
COMMANDS = [("report", "--format", "json"), ("report", "--tables"), ("dump", "--format", "json"), ("export", "-q"),
            ("export", "-q", "--format", "perfetto"), ("report", "--format", "html", "-o", "-"), ("check", "--write-baseline", "base"),
            ("export", "-q", "--format", "folded")]


def crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ 0x82F63B78 * (byte & 1)
        table.append(byte)
    return table


TABLE = crc32c_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


class Shape:
    """A trace as frames of maps; written again with sizes and checksums that fit."""

    def __init__(self, path):
        self.frames = []
        data, at = path.read_bytes(), 0
        while at < len(data):
            head = list(read_trace.HEADER.unpack(data[at:at + 64]))
            content = zstandard.ZstdDecompressor().decompress(data[at + 64:at + 64 + head[7]], max_output_size=head[6])
            self.frames.append((head, unpack(content)))
            at += 64 + head[7]

    def write(self, path):
        with open(path, "wb") as file:
            for head, maps in self.frames:
                content = b"".join(item if isinstance(item, bytes) else pack(item) for item in maps)
                payload = zstandard.ZstdCompressor(level=1, write_checksum=True, write_content_size=True).compress(content)
                head = [*head[:6], min(len(content), 2**32 - 1), len(payload), *head[8:]]
                raw = read_trace.HEADER.pack(*head)[:60]
                file.write(raw + struct.pack("<I", crc32c(raw)) + payload)


def unpack(content):
    unpacker = msgpack.Unpacker(raw=True, strict_map_key=False)
    unpacker.feed(content)
    return list(unpacker)


def pack(item):
    try:
        return msgpack.packb(item, use_bin_type=False)
    except (OverflowError, ValueError):
        return b"\xc0"


def change_value(random, value):
    """Something in its place: a number at an edge, another type, more or less of it."""
    if isinstance(value, int) and not isinstance(value, bool) and random.random() < 0.85:
        return random.choice([random.choice(NUMBERS), value + random.choice([-1, 1, 2**16, -2**16]), value * 2])
    if isinstance(value, bytes) and random.random() < 0.85:
        return random.choice([random.choice(TEXTS), value[:-1], value + value, value[::-1]])
    if isinstance(value, list) and random.random() < 0.85:
        return random.choice([value[:-1], value + value, value[1:], [], value * 50 if len(value) < 5000 else value,
                              [change_value(random, value[0]) if value else 0] + value[1:]])
    return random.choice([None, True, 0.5, float("nan"), 0, -1, b"x", [], {}, [[[[[[]]]]]], {b"t": b"t"}])


def change_inside(random, item, depth=0):
    """One place of a map or list, chosen by chance."""
    if isinstance(item, dict) and item:
        key = random.choice(list(item))
        way = random.random()
        if way < 0.08:
            item.pop(key)
        elif way < 0.12:
            item[random.choice([b"t", b"id", b"count", b"new", 7])] = change_value(random, item[key])
        elif isinstance(item[key], (dict, list)) and item[key] and way < 0.8 and depth < 6:
            change_inside(random, item[key], depth + 1)
        else:
            item[key] = change_value(random, item[key])
    elif isinstance(item, list) and item:
        at = random.randrange(len(item))
        if isinstance(item[at], (dict, list)) and item[at] and random.random() < 0.8 and depth < 6:
            change_inside(random, item[at], depth + 1)
        elif random.random() < 0.1:
            item.insert(at, copy.deepcopy(item[at]))
        else:
            item[at] = change_value(random, item[at])


def change_frames(random, shape):
    frames = shape.frames
    at = random.randrange(len(frames))
    way = random.randrange(8)
    if way == 0 and len(frames) > 1:
        del frames[at]
    elif way == 1:
        frames.insert(random.randrange(len(frames)), copy.deepcopy(frames[at]))
    elif way == 2:
        random.shuffle(frames)
    elif way == 3:
        field = random.choice([3, 4, 5, 8, 9, 10, 11, 12, 13])
        limit = {3: 16, 4: 16, 11: 64, 12: 64}.get(field, 32)
        frames[at][0][field] = random.choice(NUMBERS) % 2**limit
    elif way == 4:
        random.shuffle(frames[at][1])
    elif way == 5:
        frames[at][1].insert(random.randrange(len(frames[at][1]) + 1),
                             random.choice([b"\xc1", b"\xdf\xff\xff\xff\xff", b"\xdd\xff\xff\xff\xff", b"\x91" * 100000, b"\xdb\xff\xff\xff\xff"]))
    elif way == 6:
        frames[at][1].append(copy.deepcopy(random.choice(frames[at][1])))
    else:
        frames[at][1].pop(random.randrange(len(frames[at][1])))


def change(random, shape):
    for _ in range(random.choice([1, 1, 1, 2, 5, 20])):
        frame = random.choice(shape.frames)
        if random.random() < 0.15 or not frame[1]:
            change_frames(random, shape) if frame[1] else None
        else:
            at = random.randrange(len(frame[1]))
            if isinstance(frame[1][at], dict):
                # events are rare among the maps, and have most that can be wrong
                events = [i for i, item in enumerate(frame[1]) if isinstance(item, dict) and item.get(b"t") == b"events"]
                at = random.choice(events) if events and random.random() < 0.6 else at
                frame[1][at] = copy.deepcopy(frame[1][at])
                change_inside(random, frame[1][at])


def one_analysis(context, seed, path, command, analyzer):
    arguments = [*command[:1], path, *command[1:]] if command[0] == "check" else [*command, path]
    ended = context.run(["bash", "-c", f"ulimit -c 0; {'' if analyzer != context.analyzer else 'ulimit -v 4000000;'} exec \"$@\"",
                         "-", analyzer, *arguments], limit=60, cwd=path.parent, ASAN_OPTIONS="detect_leaks=0:abort_on_error=1")
    hold(0 <= ended.status <= 4, f"{command}: {ended} (seed {seed})")
    hold(ended.status in (0, 1) or ended.err.strip() or b"insufficient" in ended.out, f"{command}: status {ended.status} and nothing is said (seed {seed})")
    hold(b"runtime error" not in ended.err and b"Sanitizer" not in ended.err, f"{command}: {ended} (seed {seed})")
    if ended.status == 0 and "json" in command:
        for text in ended.out.decode("utf-8").splitlines() if command[0] == "dump" else [ended.out.decode("utf-8")]:
            json.loads(text)


def one_trace(context, base, seed, analyzer):
    random = Random(seed)
    folder = context.folder()
    shape = copy.deepcopy(base)
    change(random, shape)
    path = folder / "h-1.msgpack.zst"
    shape.write(path)
    for command in random.sample(COMMANDS, 2):
        one_analysis(context, seed, path, command, analyzer)
    context.drop(folder)


def bases(context):
    """Traces of this tree: all kinds of records, and what a program leaves."""
    yield from (Shape(path) for path in sorted(pathlib.Path("test/golden").glob("*.msgpack.zst")))
    folder = context.folder()
    context.traced(victim(context), folder / "out")
    yield Shape(next((folder / "out").glob("*.zst")))


def sanitized(context):
    found = context.build / "attack/asan/trace-analyzer"
    return context.analyzer if context.short or not found.exists() else found


@attack("traces", "values, types, lengths and order of a trace changed, all checksums right; the analyzer under a sanitizer")
def try_traces(context):
    shapes = list(bases(context))
    for _ in range(60 if context.short else 20000):
        seed = context.random.getrandbits(32)
        yield f"seed {seed}", functools.partial(one_trace, context, shapes[seed % len(shapes)], seed, sanitized(context))


def leave_live(context):
    """What a killed program leaves."""
    folder = context.folder()
    context.traced(["timeout", "-s", "KILL", "0.4", *victim(context, "endless")], folder / "out", LIBTRACE_LOG="quiet")
    trace = next((folder / "out").glob("*.zst"))
    live = next((folder / "out").glob("*.live"))
    content = live.read_bytes()
    if content.startswith(b"LTRPATH1 "):
        content = pathlib.Path(content[9:].decode().strip()).read_bytes()
    return trace.read_bytes(), content, trace.name, live.name


def one_live(context, left, seed):
    random = Random(seed)
    folder = context.folder()
    trace, live, trace_name, live_name = left
    live = bytearray(live)
    for _ in range(random.choice([1, 1, 3, 30])):
        way = random.randrange(5)
        at = random.choice([random.randrange(200), random.randrange(41000), random.randrange(2**31)]) % (len(live) - 8)
        if way < 2:
            live[at:at + 8] = (random.choice(NUMBERS) % 2**64).to_bytes(8, "little")
        elif way == 2:
            live[at] ^= 1 << random.randrange(8)
        elif way == 3:
            live[at:at + 4096] = bytes(len(live[at:at + 4096]))
        else:
            live = live[:max(16, at)] if random.random() < 0.3 else live
    (folder / trace_name).write_bytes(trace)
    (folder / live_name).write_bytes(live)
    for command in random.sample(COMMANDS, 2):
        one_analysis(context, seed, folder / trace_name, command, sanitized(context))
    context.drop(folder)


@attack("live files", "what a killed process left, changed anywhere")
def try_live(context):
    left = leave_live(context)
    for _ in range(30 if context.short else 10000):
        seed = context.random.getrandbits(32)
        yield f"seed {seed}", functools.partial(one_live, context, left, seed)
