#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read libtrace traces (collector/format/FORMAT.md): events as dicts, or totals as a command.

events = pandas.DataFrame(read_trace.Trace("host-4711.msgpack.zst").events())
read_trace.py --totals FILE      JSON: events, durations and bytes per kind, definitions, losses
Needs the modules msgpack and zstandard."""
import collections, io, json, pathlib, struct, sys
import msgpack, zstandard

HEADER = struct.Struct("<II4sHHIIIIIIQQII")
TWO_64 = 1 << 64

def crc32c(data, crc=0xFFFFFFFF):
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    return crc ^ 0xFFFFFFFF

def learn(expectation, rest):
    value, known = expectation  # of a site, section 4
    limit = (value if value >= 0 else -1 - value) // 2 + 64
    value += min(max(rest, -limit), limit) // 4 if known else rest
    expectation[:] = (value + TWO_64 // 2) % TWO_64 - TWO_64 // 2, True

class Trace:
    """One trace file; definitions by id and states fill while events() runs."""

    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        self.defined = {"name": {}, "place": {}, "call": {}, "thread": {}, "stack": {}}
        self.states, self.frames, self.damaged, self.calls = [], set(), 0, {}

    def contents(self):
        at, good = 0, True  # a frame that is damaged is passed over
        while at < len(self.data):
            head = self.data[at:at + 64].ljust(64, b"\0")
            magic, rest, tag, version, _, number, raw, packed, *_, crc = HEADER.unpack(head)
            try:
                if (magic, rest, tag) != (0x184D2A54, 56, b"LTRC") or crc != crc32c(head[:60]):
                    raise zstandard.ZstdError("no header")
                assert version <= 1, "written by a newer version"
                payload = self.data[at + 64:at + 64 + packed]
                content = zstandard.ZstdDecompressor().decompress(payload, max_output_size=raw)
                if number not in self.frames:
                    yield content
                self.frames.add(number)
                at, good = at + 64 + packed, True
            except zstandard.ZstdError:
                self.damaged, good, at = self.damaged + good, False, at + 1

    def events(self):
        for content in self.contents():
            kinds, sites, columns = {}, [], collections.Counter()
            for item in msgpack.Unpacker(io.BytesIO(content), unicode_errors="replace"):
                if item["t"] == "events":
                    kinds.update((kind[0], kind[1:4]) for kind in item.get("kinds", ()))
                    sites += [(site, [0, False], [0, False]) for site in item.get("sites", ())]
                    yield from self.block(item, kinds, sites, columns)
                elif item["t"] == "matched":
                    yield from self.matched(item)
                elif item["t"] in self.defined:
                    self.defined[item["t"]][item["id"]] = item
                else:
                    self.states.append(item)

    def block(self, item, kinds, sites, columns):
        extra, site, end = iter(item.get("extra", ())), 0, 0
        for i, (step, gap, dur) in enumerate(zip(item["site"], item["end"], item["dur"])):
            site += step
            (number, *values), expected_gap, expected_dur = sites[site]
            kind, fields, more = kinds[number]
            expected_gap = expected_gap if i else [0, False]  # a block's first event teaches nothing
            end = (end + expected_gap[0] + gap) % TWO_64
            begin = (end - expected_dur[0] - dur) % TWO_64
            learn(expected_gap, gap)
            learn(expected_dur, dur)
            event = dict(thread=item["thread"], sequence=item["first"] + i, kind=kind,
                         begin=begin, end=end)
            for (field, type_, *_), value in zip(fields, values):
                name = self.defined["name"].get(value) if type_ == "name" else None
                event[field] = name["text"] if name else value
            for column, *_ in more:
                columns[number, column] = event[column] = (columns[number, column] + next(extra)) % TWO_64
            if kind in ("launch", "copy", "set", "graph"):
                self.calls[event["thread"], event["sequence"]] = begin, end
            yield event

    def matched(self, item):
        call = correlation = 0
        whats = [what for count, what in zip(item["what"][::2], item["what"][1::2]) for _ in range(count)]
        for i, (step, more, what) in enumerate(zip(item["call"], item["correlation"], whats)):
            call, correlation = (call + step) % TWO_64, (correlation + more) % TWO_64
            if (item["by"], call) in self.calls:
                begin, end = self.calls[item["by"], call]
                yield dict(thread=item["tid"], sequence=item["first"] + i, kind="device_api",
                           begin=begin, end=end, call=0, result=0, flags=0, matched=True, function=what >> 2, domain=what & 3,
                           correlation=correlation)

    def totals(self):
        totals = {key: collections.Counter() for key in ("events", "duration_ns", "copy_bytes")}
        for event in self.events():
            totals["events"][event["kind"]] += 1
            totals["duration_ns"][event["kind"]] += (event["end"] - event["begin"]) % TWO_64
            if event["kind"] in ("copy", "device_copy"):
                totals["copy_bytes"][event["kind"]] += event["bytes"]
        totals.update((kind + "s", len(items)) for kind, items in self.defined.items())
        totals["lost"] = sum(state["count"] for state in self.states if state["t"] == "lost")
        totals["clean_end"] = any(state["t"] == "end" for state in self.states)
        return dict(totals, frames=len(self.frames), damaged=self.damaged)

if __name__ == "__main__":
    print(json.dumps(Trace(sys.argv[-1]).totals(), indent=2, sort_keys=True))
