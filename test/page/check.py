# SPDX-License-Identifier: MIT
"""Pages of some traces in a browser. usage: check.py FOLDER-OF-TRACES FOLDER-FOR-PICTURES [--all]"""
import json
import os
import shutil
import subprocess
import sys
import time

import browser
import firefox
import looks
import sections
import sides
import timeline

ANALYZER = os.environ["ANALYZER"]


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, good, *evidence):
        if good:
            self.passed += 1
            print("ok", what)
        else:
            self.failed += 1
            print("FAIL", what, *(str(item)[:300] for item in evidence))

    def same(self, what, found, wanted):
        self.check(what, found == wanted, "found", found, "wanted", wanted)


class Page:
    """One trace as page and as JSON."""

    def __init__(self, work, name, *options):
        self.name = name
        self.whole = not options
        self.trace = f"{work}/{name}" if os.path.isdir(f"{work}/{name}") else f"{work}/{name}.msgpack.zst"
        self.file = f"{work}/{name}.html"
        text = self.analyzer("report", "--format", "json", self.trace)
        self.report = json.loads(text)
        self.analyzer("report", "--format", "html", "-o", self.file, *options, self.trace)
        self.size = os.path.getsize(self.file)

    @staticmethod
    def analyzer(*words):
        return subprocess.run([ANALYZER, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


def quiet(tally, page, window):
    """What must hold after everything that was done with a page."""
    tally.same(f"{page.name}: no complaint of the browser", window.complaints(), [])
    asked = [address for address in window.requests() if address.split("#")[0] not in (f"file://{page.file}", "about:blank")]
    tally.same(f"{page.name}: no request", asked, [])


def parts(tally, work, window, shots):
    """Some steps with every event, all others as sums: nothing is gone."""
    page = Page(work, "training", "--detail-steps", "12-14")
    timeline.check(tally, page, window, shots)
    whole = window.run("""return libtrace.line.line.steps.filter(step => step.number >= 12 && step.number <= 14).map(step =>
        libtrace.line.tracks.filter(track => track.kind === 'stream').reduce((sum, track) => sum + track.lanes.reduce((all, lane) =>
            all + lane.begin.filter(ns => ns >= step.begin && ns < step.end).length, 0), 0))""")
    tally.check("parts: the steps that were asked for are whole", len(whole) == 3 and min(whole) >= 3, whole)
    summed = window.run("return libtrace.line.line.rows.reduce((sum, row) => sum + row.summed, 0)")
    tally.check("parts: the others are sums", summed > 0, summed)
    said = window.run("return document.querySelector('#timeline h2').textContent")
    tally.check("parts: what was left out is said", f"{summed}" in said.replace("\u202f", "") and "12 (named)" in said, said)
    quiet(tally, page, window)


def crowds(tally, work, window, shots):
    """Thousands of threads and hundreds of processes, with names that would do harm."""
    for name in ("crowd", "ranks"):
        page = Page(work, name)
        window.size(1280, 900)
        window.open(page.file)
        timeline.counts(tally, page, window)
        timeline.folding(tally, page, window)
        tally.same(f"{name}: names stay names", window.run("return [window.hurt === undefined, document.querySelector('img')]"), [True, None])
        window.shot(f"{shots}/{name}.png")
        quiet(tally, page, window)


def little(tally, page, window):
    """Without steps and without the device, or with a single step: what there is is shown, and what is missing is said."""
    window.open(page.file)
    sections.check(tally, page, window)
    timeline.counts(tally, page, window)
    timeline.times(tally, page, window)
    steps = page.report["steps"]["count"]
    tally.check(f"{page.name}: hardly a step", steps <= 1, steps)
    said = window.run("return document.querySelector('#account').textContent")
    tally.same(f"{page.name}: no account without steady steps", "nothing can be said" in said, page.report["steps"]["steady"] == 0)
    window.run("document.querySelector('#tab-kernels').click()")
    kernels = window.run("return document.querySelector('#table-box').textContent")
    tally.check(f"{page.name}: a table that is not there says why", bool(page.report["tables"]["kernels"]) or "no records" in kernels, kernels)
    quiet(tally, page, window)


def alone(tally, page, window):
    """A program that gives nothing to a GPU: nobody is told that one is idle, and each cause has a colour."""
    window.open(page.file)
    tally.same(f"{page.name}: of the host alone", page.report["ratios"]["gpu_busy_is"], "none")
    said = window.run("""return [...document.querySelectorAll('#account td:first-child, #steps .legend span, #input dt')].map(node => node.textContent)
        .concat(libtrace.line.tracks.map(track => track.title), document.querySelectorAll('.tile small')[1].textContent)""")
    tally.check("alone: no GPU that is idle is told of", any("host runs other code" in text for text in said)
                and any("no work to a GPU" in text for text in said) and not any("GPU" in text and "idle" in text for text in said), said)
    names = [row["cause"] for row in page.report["account"]]
    colours = window.run("""return arguments[0].map(name => getComputedStyle(document.documentElement).getPropertyValue(`--c-${name}`).trim())""", names)
    tally.check("alone: a colour for each cause", "" not in colours and len(set(colours)) == len(names) > 10, names, colours)
    sections.check(tally, page, window)
    timeline.counts(tally, page, window)
    timeline.account(tally, page, window)
    quiet(tally, page, window)


def reads(tally, page, window):
    """Waits that the run as a whole shows to be for data: the account, every step and the time line say so alike."""
    window.open(page.file)
    causes = [row["cause"] for row in page.report["account"]]
    data, other = (page.report["account"][causes.index(name)]["ns_per_step"] for name in ("idle_input", "idle_blocked"))
    tally.check("reads: the steps wait for data", data > 0 and other <= 0.05 * data, data, other)
    found = window.run("""const steady = libtrace.line.line.steps.filter(step => !step.aside && step.number >= arguments[0] && step.number < arguments[1]);
        const lane = libtrace.line.tracks.find(one => one.kind === 'causes').lanes[0];
        return [arguments[2].map(at => steady.reduce((sum, step) => sum + step.causes[at], 0) / steady.length),
            arguments[2].map(at => lane.label.filter(label => label === at).length)]""",
                       page.report["steps"]["warmup"], page.report["steps"]["count"],
                       [causes.index("idle_input"), causes.index("idle_blocked")])
    tally.check("reads: so do the steps one by one", abs(found[0][0] - data - other) <= 2 and found[0][1] == 0, found, data, other)
    tally.check("reads: and the time line", found[1][0] > 0 and found[1][1] == 0, found)
    tally.same("reads: nothing differs, so nothing is said", window.run("return document.querySelector('#mixed-waits')"), None)
    quiet(tally, page, window)


def old_browser(tally, page, window):
    """Without DecompressionStream there is a sentence, and all that does not need it."""
    added = window.devtools("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")
    window.open(page.file)
    said = window.run("return document.querySelector('#timeline').textContent")
    tally.check("an old browser: a sentence for the time line", "cannot unpack" in said, said)
    sections.verdict(tally, page, window)
    sections.findings(tally, page, window)
    empty = window.run("document.querySelector('#tab-api_calls').click(); return document.querySelector('#table-box').textContent")
    tally.check("an old browser: a sentence for the tables", "cannot unpack" in empty, empty)
    quiet(tally, page, window)
    window.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])


def in_firefox(tally, work, shots):
    """The same page in Firefox: every section, the time line, the looks."""
    with firefox.Firefox() as window:
        for name in ("generated", "hostile", *(name for name in ("demo",) if os.path.isdir(f"{work}/{name}"))):
            page = Page(work, name)
            looks.check(tally, page, window, shots, "firefox-")
            window.size(1280, 900)
            window.media()
            window.open(page.file)
            sections.check(tally, page, window)
            timeline.counts(tally, page, window)
            timeline.times(tally, page, window)
            timeline.account(tally, page, window)
            timeline.folding(tally, page, window)
            timeline.searching(tally, page, window)
            complaints = window.complaints()
            tally.same(f"firefox: {name}: no complaint", complaints, [])


def demonstration(tally, work, window, shots):
    """The demonstration as it was just recorded: all sections, and what an event takes."""
    if not os.path.isdir(f"{work}/demo"):
        print("SKIP the demonstration: the wheel of PyTorch is not there")
        return
    page = Page(work, "demo")
    events = sum(process["events"] for process in page.report["run"]["processes"])
    print(f"   demo: {page.size} bytes, {events} events, {page.size / events:.2f} each")
    tally.check("demo: at most 6 bytes an event", events > 50000 and page.size <= 6 * events, page.size, events)
    looks.check(tally, page, window, shots)
    window.size(1280, 900)
    window.media()
    window.open(page.file)
    sections.check(tally, page, window)
    timeline.check(tally, page, window, shots)
    quiet(tally, page, window)


def large(tally, work, window):
    """A million events: size of the file, memory of the writer, what a frame paints. Times are told, not judged."""
    sizes = {}
    for name in ("million", "four"):
        before = time.monotonic()
        command = ["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys; subprocess.run(sys.argv[1:]);"
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", ANALYZER, "report", "-q", "--format", "html",
                   "-o", f"{work}/{name}.html", f"{work}/{name}.msgpack.zst"]
        memory = int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        sizes[name] = (memory, os.path.getsize(f"{work}/{name}.html"))
        print(f"   {name}: written in {time.monotonic() - before:.1f} s, {memory >> 10} MiB, {sizes[name][1]} bytes")
    tally.check("a million events: memory of the writer", sizes["million"][0] < 64 << 10, sizes)
    tally.check("four million events: no more memory of the writer", sizes["four"][0] < sizes["million"][0] + (4 << 10), sizes)
    before = time.monotonic()
    window.open(f"{work}/million.html")
    print(f"   a million events: opened in {time.monotonic() - before:.1f} s")
    window.wait("libtrace.settled.then(arguments[0])")
    events = window.run("return libtrace.line.line.rows.reduce((sum, row) => sum + row.begin.length, 0)")
    tally.check("a million events: all are there", events > 900000, events)
    tally.check("a million events: at most 8 bytes each", sizes["million"][1] <= 8 * events, sizes, events)
    most, p50, p95 = window.run(timeline.PAINT)
    lanes = window.run("return libtrace.line.tracks.reduce((sum, track) => sum + track.lanes.length, 0)")
    tally.check("a million events: a frame paints what the window holds", most <= 4 * 1280 * lanes, most, lanes)
    print(f"   a million events: at most {most} items a frame, {p50:.1f} ms, p95 {p95:.1f} ms")


def main():
    work, shots = sys.argv[1:3]
    tally = Tally()
    if "--all" in sys.argv:
        with browser.Browser() as window:
            large(tally, work, window)
        with browser.Browser() as window:
            demonstration(tally, work, window, shots)
        if shutil.which("firefox-esr"):
            in_firefox(tally, work, shots)
        else:
            print("SKIP Firefox: firefox-esr is not installed")
    with browser.Browser() as window:
        for name in ("training", "golden", "generated", "hostile"):
            page = Page(work, name)
            window.open(page.file)
            sections.check(tally, page, window)
            timeline.check(tally, page, window, shots)
            looks.check(tally, page, window, shots)
            looks.paper(tally, page, window, shots)
            if name == "generated":
                timeline.arrows(tally, page, window, 0.9)
            quiet(tally, page, window)
        for name in ("small", "one"):
            little(tally, Page(work, name), window)
        alone(tally, Page(work, "alone"), window)
        reads(tally, Page(work, "reads"), window)
        parts(tally, work, window, shots)
        crowds(tally, work, window, shots)
        old_browser(tally, Page(work, "training"), window)
        both = sides.Sides(work, Page.analyzer, "training")
        sides.check(tally, both, window, shots)
        quiet(tally, both, window)
    with browser.Browser() as window:
        of_ranks = sides.Ranks(work, Page.analyzer, "training")
        sides.ranks(tally, of_ranks, window, shots)
        quiet(tally, of_ranks, window)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


sys.exit(main())
