"""Names as no honest program has them, in every text of a trace, through every output: what comes out
is what its reader expects, and nothing in it acts on a terminal, a browser, a spreadsheet or a viewer."""
import csv
import html.parser
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

NAMES = {
    "terminal": b"\x1b]0;owned\x07\x1b[31mred\x1b[2J\x08\r\x7f",
    "control": b"a\xc2\x9b31m\xc2\x85b\xc2\x80",
    "no utf-8": b"\xff\xfe\xc3(\xed\xa0\x80\xf5\xc0\xaf",
    "formula": b"=cmd|'/c calc'!A0",
    "formula behind": b"\t@SUM(1+1)",
    "minus": b"-1+cmd",
    "html": b"</script><img src=x onerror=alert(1)><!--]]>&amp;\"'",
    "markdown": b"a|b`c`*d* _e_ [x](javascript:x) ![i](http://h)\n# head\n| --- |",
    "lines": b"a;b;c 5\nhost;fake 999\r\n\xe2\x80\xa8x",
    "json": b"\"}],\"x\":[{\"\\u0000\\",
    "cells": b"\"a\",\"b\"\r\nc,d;e\tf",
    "direction": b"\xe2\x80\xaegpj.exe\xe2\x81\xa6\xe2\x80\x8f",
    "format": b"%s%n%99d'; DROP TABLE event;-- $(id) `id`",
    "long": b"a" + b"\xc3\xa9" * 5000,
}
TABLES = "gpu_activities api_calls kernels copies failed_calls launches devices streams".split()
# what moves a terminal's cursor, colours or direction, or is a line end where none belongs
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

bad = []


def wrong(where, what):
    if where not in bad:
        print(f"{where}: {what}")
    bad.append(where)


def run(where, *arguments, codes=(0,)):
    done = subprocess.run(["trace-analyzer", *map(str, arguments)], capture_output=True, timeout=50)
    if done.returncode not in codes:
        wrong(where, f"exit status {done.returncode}: {done.stderr[:200]}")
    check_terminal(where + " stderr", done.stderr)
    return done.stdout


def check_terminal(where, output):
    try:
        text = output.decode("utf-8")
    except UnicodeDecodeError as error:
        return wrong(where, error)
    found = ACTS.search(text)
    if found:
        wrong(where, f"{found.group()!r} in {text[max(0, found.start() - 30):found.end() + 10]!r}")
    return text


def check_json(where, output):
    try:
        value = json.loads(output.decode("utf-8"))
    except ValueError as error:
        return wrong(where, error)
    check_terminal(where, output)
    if b"</" in output:
        wrong(where, "has </")
    return value


def check_csv(where, output):
    check_terminal(where, output.replace(b"\r\n", b"\n"))
    rows = list(csv.reader(io.StringIO(output.decode("utf-8", "replace"), newline=""), strict=True))
    if len({len(row) for row in rows}) > 1:
        wrong(where, "rows of different lengths")
    for cell in (cell for row in rows for cell in row):
        if cell[:1] in "=+-@\t\r" and cell and not re.fullmatch(r"-?\d+(\.\d+)?", cell):
            wrong(where, f"a formula: {cell[:40]!r}")
            break


def check_markdown(where, output):
    text = check_terminal(where, output) or ""
    columns = 0
    for line in text.split("\n"):
        plain = re.sub(r"\\[\\|`*_<>\[\]&~$#!]", "", line)
        if re.search(r"^>|[<`\[\]*]|&(?!#?\w+;)", plain) and not re.fullmatch(r"[|:\- ]+", plain):
            wrong(where, f"markup: {line[:80]!r}")
            break
        cells = plain.count("|")
        if cells and columns and cells != columns:
            wrong(where, f"a row of another table: {line[:80]!r}")
            break
        columns = cells


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.strange = []

    def handle_starttag(self, tag, attrs):
        if tag == "img" or any(name.startswith("on") for name, _ in attrs):
            self.strange.append(tag)


def check_html(where, output):
    page = Page()
    page.feed(output.decode("utf-8"))
    if page.strange:
        wrong(where, f"elements of the name: {page.strange}")
    for block in re.findall(rb'<script type="application/json" id="\w+">(.*?)</script>', output, re.S):
        check_json(where, block)


def check_folded(where, output):
    for line in (check_terminal(where, output) or "").splitlines():
        if not re.fullmatch(r"(host|device)(;[^;]+){1,} \d+", line):
            return wrong(where, repr(line[:80]))


def fields(data):
    """Tag and bytes of each field of a protobuf message, numbers left out."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            at += 1
            value |= (data[at - 1] & 127) << shift
            shift += 7
            if data[at - 1] < 128:
                return value
    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            number()
        elif tag & 7 == 1:
            at += 8
        else:
            size = number()
            at += size
            yield tag >> 3, data[at - size:at]


def check_perfetto(where, output):
    for _, packet in fields(output):
        for kind, value in fields(packet):
            for _, entry in fields(value) if kind == 12 else ():
                for key, text in fields(entry):
                    if key == 2:
                        text.decode("utf-8")


def check_sqlite(where, path):
    base = sqlite3.connect(path)
    for table, in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        base.execute(f"SELECT * FROM {table}").fetchall()
    if base.execute("SELECT count(*) FROM event").fetchone()[0] == 0:
        wrong(where, "no events")


def check_name(title, name, states):
    for old in Path().glob("*"):
        old.unlink()
    strange = {**os.environb, b"STRANGER": name}
    if states:
        strange[b"STRANGER_STATES"] = b"1"
    for trace, environment in (("own", os.environ), ("strange", strange)):
        subprocess.run([os.environ["MAKE_TRACE"], "training", f"{trace}.msgpack.zst"], env=environment, check=True)
    own, other = "own.msgpack.zst", "strange.msgpack.zst"
    check_terminal(f"{title}: report", run(f"{title}: report", "report", "--tables", other))
    report = run(f"{title}: json", "report", "--format", "json", other)
    check_json(f"{title}: json", report)
    Path("strange.json").write_bytes(report)
    check_html(f"{title}: html", run(f"{title}: html", "report", "--format", "html", "-o", "-", other))
    for table in TABLES:
        check_csv(f"{title}: {table}", run(f"{title}: {table}", "report", "--format", "csv", f"--tables={table}", other))
    check_terminal(f"{title}: dump", run(f"{title}: dump", "dump", other))
    for line in run(f"{title}: dump json", "dump", "--format", "json", other).splitlines():
        check_json(f"{title}: dump json", line)
    check_json(f"{title}: chrome", run(f"{title}: chrome", "export", "-q", other))
    check_folded(f"{title}: folded", run(f"{title}: folded", "export", "-q", "--format", "folded", other))
    check_perfetto(f"{title}: perfetto", run(f"{title}: perfetto", "export", "-q", "--format", "perfetto", other))
    run(f"{title}: sqlite", "export", "-q", "--format", "sqlite", "-o", "strange.db", other)
    check_sqlite(f"{title}: sqlite", "strange.db")
    for sides in ((own, other), (other, own)):
        check_terminal(f"{title}: compare", run(f"{title}: compare", "compare", *sides))
        check_json(f"{title}: compare json", run(f"{title}: compare json", "compare", "--format", "json", *sides))
        check_markdown(f"{title}: compare markdown",
                       run(f"{title}: compare markdown", "compare", "--format", "markdown", *sides))
    run(f"{title}: baseline", "check", own, "--write-baseline", "own.base")
    run(f"{title}: baseline", "check", other, "--write-baseline", "strange.base")
    check_terminal(f"{title}: baseline", Path("strange.base").read_bytes())
    run(f"{title}: own baseline", "check", "strange.json", "-b", "strange.base")
    # what another program's baseline says is refused; here both are of this one
    program = {base: re.search(rb"run program = .*", Path(base).read_bytes()).group() for base in ("own.base", "strange.base")}
    for base, theirs in (("own.base", "strange.base"), ("strange.base", "own.base")):
        Path(base).write_bytes(Path(base).read_bytes().replace(program[base], program[theirs]))
    for trace, base in ((other, "own.base"), (own, "strange.base")):
        arguments = ("check", trace, "-b", base, "--format")
        check_terminal(f"{title}: check", run(f"{title}: check", *arguments, "text", codes=(0, 1)))
        check_json(f"{title}: check json", run(f"{title}: check json", *arguments, "json", codes=(0, 1)))
        check_json(f"{title}: sarif", run(f"{title}: sarif", *arguments, "sarif", codes=(0, 1)))
        check_markdown(f"{title}: check markdown", run(f"{title}: check markdown", *arguments, "markdown", codes=(0, 1)))
        junit = run(f"{title}: junit", *arguments, "junit", codes=(0, 1))
        check_terminal(f"{title}: junit", junit)
        xml.etree.ElementTree.fromstring(junit)


for title, name in NAMES.items():
    for states in (False, True):
        try:
            check_name(title + (" state" if states else ""), name, states)
        except (ValueError, csv.Error, sqlite3.Error, xml.etree.ElementTree.ParseError) as error:
            wrong(title, f"{type(error).__name__}: {error}")
    if len(sys.argv) > 1:
        print(title, "done")
print(len(NAMES), "names,", len(bad), "wrong")
