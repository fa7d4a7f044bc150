# SPDX-License-Identifier: MIT
"""The time line of a page: every event of the trace is in it, nothing overlaps, and moving, searching, folding and
selecting do what they say. What is painted depends on the window, not on the trace."""

import json

# a lane must ascend and may not overlap; coarse copies lose no time and no stretch of the lane
LANES = """
let events = 0, bad = 0, lost = 0;
for (const track of libtrace.line.tracks) {
    if (!track.row) continue;
    let sum = 0;
    for (const lane of track.lanes) {
        sum += lane.count;
        for (let i = 1; i < lane.count; i++) if (lane.begin[i] < lane.end[i - 1]) bad++;
        for (const ns of [1e4, 1e6, 1e8]) {
            const copy = lane.copy(ns);
            for (let i = 0, at = 0; i < lane.count; i += 97) {
                while (at < copy.count && copy.end[at] < lane.end[i]) at++;
                if (at === copy.count || copy.begin[at] > lane.begin[i]) lost++;
            }
        }
    }
    if (sum !== track.row.events - track.row.summed) bad++;
    events += track.row.events;
    if (track.row.bins) {
        const binned = track.row.bins.events.reduce((a, b) => a + b, 0);
        if (binned !== track.row.summed) bad++;
    }
}
return [events, bad, lost];
"""
COVER = """
// share of the pixels of the canvas that are not background
const {canvas} = libtrace.line, copy = document.createElement('canvas');
copy.width = canvas.width;
copy.height = canvas.height;
const context = copy.getContext('2d', {willReadFrequently: true});
context.drawImage(canvas, 0, 0);
const {data} = context.getImageData(0, 0, copy.width, copy.height);
let inked = 0;
for (let i = 0; i < data.length; i += 4)
    if (data[i] !== data[data.length - 4] || data[i + 1] !== data[data.length - 3] || data[i + 2] !== data[data.length - 2]) inked++;
return inked / (data.length / 4);
"""
PAINT = """
// the most that one frame paints, and its time, on the way from the whole run to a millionth of it
libtrace.line.partners.prepare();
const line = libtrace.line, span = line.last - line.first, times = [];
let most = 0;
for (let i = 0; i <= 60; i++) {
    const width = span * Math.pow(1e-6, i / 60), at = line.first + span * (0.2 + 0.6 * i / 60);
    line.show(at - width / 2, at + width / 2);
    line.paint();
    most = Math.max(most, line.painter.painted);
    times.push(line.paintMs);
}
times.sort((a, b) => a - b);
return [most, times[30], times[57]];
"""
FRAMES = """
const done = arguments[0], line = libtrace.line, span = line.last - line.first, times = [];
let i = 0, last = 0;
requestAnimationFrame(function frame(now) {
    if (last) times.push(now - last);
    last = now;
    if (i++ > 90) { times.sort((a, b) => a - b); done([times[45], times[86]]); return; }
    const width = span * Math.pow(1e-5, i / 90);
    line.show(line.first + span * .6 - width / 2, line.first + span * .6 + width / 2);
    requestAnimationFrame(frame);
});
"""


def counts(tally, page, window):
    events = sum(process["events"] for process in page.report["run"]["processes"])
    found, bad, lost = window.run(LANES)
    tally.same(f"{page.name}: every event of the trace", found, events)
    tally.same(f"{page.name}: nothing overlaps, every row has what it says", bad, 0)
    tally.same(f"{page.name}: nothing is lost in far views", lost, 0)
    strangers = """return libtrace.line.line.rows.filter(row => row.class === 'stack' && !libtrace.line.line.rows.some(
        other => other.class === 'thread' && other.process === row.process && other.tid === row.tid)).length"""
    tally.same(f"{page.name}: samples of stacks are of a thread that is there", window.run(strangers), 0)
    steps = page.report["steps"]
    number = "return libtrace.line.line.steps.filter(step => !step.aside).length"
    tally.same(f"{page.name}: as many steps as the report", window.run(number), steps["count"])


def times(tally, page, window):
    """Begins and ends are those of the trace, to the nanosecond, but for where time begins."""
    events = [(entry["begin_ns"], entry["end_ns"]) for entry in map(json.loads,
              page.analyzer("dump", "-q", "--format", "json", page.trace).splitlines()) if entry["type"] == "event"]
    first = min(begin for begin, _ in events)
    found = window.run("""let first = Infinity, begins = 0, ends = 0;
        for (const row of libtrace.line.line.rows) for (const begin of row.begin) first = Math.min(first, begin);
        for (const row of libtrace.line.line.rows) for (let i = 0; i < row.begin.length; i++) {
            begins += row.begin[i] - first;
            ends += row.end[i] - first;
        }
        return [begins, ends]""")
    tally.same(f"{page.name}: every begin and end", found, [sum(begin - first for begin, _ in events), sum(end - first for _, end in events)])


def account(tally, page, window):
    """The steady steps one by one have in sum what the report says of their mean."""
    if page.report["steps"]["steady"] == 0:
        return
    sums = window.run("""const steady = libtrace.line.line.steps.filter(step => !step.aside && step.number >= arguments[0]
        && step.number < arguments[1]); return arguments[2].map((_, at) => steady.reduce((sum, step) => sum + step.causes[at], 0) / steady.length)""",
                      page.report["steps"]["warmup"], page.report["steps"]["count"], page.report["account"])
    wanted = [row["ns_per_step"] for row in page.report["account"]]
    tally.check(f"{page.name}: steps add up to the account", all(abs(one - two) <= 1 for one, two in zip(sums, wanted)), sums, wanted)
    pieces = window.run("""const track = libtrace.line.tracks.find(one => one.kind === 'causes'), lane = track.lanes[0],
        steps = libtrace.line.line.steps.filter(step => !step.aside && step.number >= arguments[0] && step.number < arguments[1]),
        sums = arguments[2].map(() => 0);
        for (const step of steps) for (let i = lane.after(step.begin); i < lane.count && lane.begin[i] < step.end; i++)
            sums[lane.label[i]] += Math.min(lane.end[i], step.end) - Math.max(lane.begin[i], step.begin);
        return sums.map(sum => sum / steps.length)""", page.report["steps"]["warmup"], page.report["steps"]["count"], page.report["account"])
    tally.check(f"{page.name}: the row of causes is the account", all(abs(one - two) <= 1 for one, two in zip(pieces, wanted)), pieces, wanted)


def moving(tally, page, window):
    window.run("libtrace.line.show(libtrace.line.first, libtrace.line.last); libtrace.line.paint()")
    tally.check(f"{page.name}: the whole run is drawn", window.run(COVER) > 0.005, window.run(COVER))
    most, p50, p95 = window.run(PAINT)
    lanes = window.run("return libtrace.line.tracks.reduce((sum, track) => sum + track.lanes.length, 0)")
    tally.check(f"{page.name}: a frame paints what the window holds", most <= 4 * 1280 * max(lanes, 1), most, lanes)
    tally.check(f"{page.name}: time to paint", p50 < 30 and p95 < 90, p50, p95)
    print(f"   {page.name}: at most {most} items a frame, {p50:.1f} ms, p95 {p95:.1f} ms")
    box = window.run("""document.querySelector('#line-canvas').scrollIntoView({block: 'center'}); libtrace.line.show(libtrace.line.first, libtrace.line.last);
        const box = document.querySelector('#line-canvas').getBoundingClientRect(); return [box.left, box.top, box.width, box.height]""")
    before = window.run("return [libtrace.line.view.begin, libtrace.line.view.end]")
    window.run("document.querySelector('#line-canvas').focus()")
    window.press("+")
    after = window.run("return [libtrace.line.view.begin, libtrace.line.view.end]")
    tally.check(f"{page.name}: a key zooms", abs((after[1] - after[0]) * 2 - (before[1] - before[0])) < 2, before, after)
    middle = (box[0] + box[2] * 0.7, box[1] + 60)
    window.pointer(("move", *middle), ("down",), ("move", middle[0] - 100, middle[1]), ("up",))
    moved = window.run("return [libtrace.line.view.begin, libtrace.line.view.end]")
    tally.check(f"{page.name}: dragging moves", moved[0] > after[0] and abs((moved[1] - moved[0]) - (after[1] - after[0])) < 2, after, moved)


def folding(tally, page, window):
    height = window.run("return libtrace.line.height()")
    window.run("libtrace.line.foldAll(false)")
    less = window.run("return libtrace.line.height()")
    window.run("libtrace.line.foldAll(true)")
    tally.check(f"{page.name}: rows fold", less < height <= window.run("return libtrace.line.height()"), less, height)


def searching(tally, page, window):
    name = window.run("const label = libtrace.line.line.labels.find(one => one && /^[\\w:]+$/.test(one.name)); return label ? label.name : null")
    if name is None:
        return
    window.run("""const box = document.querySelector('#line-search'); box.value = arguments[0]; box.dispatchEvent(new Event('input'))""", name[:40])
    wanted = window.run("""let sum = 0; for (const track of libtrace.line.tracks) if (track.row) for (const lane of track.lanes)
        for (let i = 0; i < lane.count; i++) if (libtrace.line.line.labels[lane.label[i]].name.toLowerCase().includes(arguments[0].toLowerCase().trim())) sum++;
        return sum""", name[:40])
    hits = window.run("return document.querySelector('#line-hits').textContent").replace("\u202f", "")
    tally.same(f"{page.name}: search counts", hits, f"{wanted} found")
    window.run("document.querySelector('#line-search').closest('.linebar').querySelector('button[title=\"next match\"]').click()")
    shown = window.run("const one = libtrace.line.selected; return one && one.track.nameOf(one.lane, one.at)")
    tally.check(f"{page.name}: the next match is selected", shown is not None and name[:40].lower().strip() in shown.lower(), shown)
    window.run("""const box = document.querySelector('#line-search'); box.value = ''; box.dispatchEvent(new Event('input'))""")


def links(tally, page, window):
    if page.report["steps"]["steady"] > 0:
        number = page.report["steps"]["warmup"] + 1
        window.open(page.file, f"#step={number}")
        shown = window.run("""const step = libtrace.line.numbers.get(arguments[0]), view = libtrace.line.view;
            return view.begin <= step.begin && view.end >= step.end && view.end - view.begin < 1.2 * (step.end - step.begin)""", number)
        tally.check(f"{page.name}: link to a step", shown)
    buttons = window.run("return document.querySelectorAll('button.show').length")
    for at, finding in enumerate(one for one in page.report["findings"] if one["file"] or one["op"]):
        if at >= min(buttons, 6):
            break
        window.run("document.querySelectorAll('button.show')[arguments[0]].click()", at)
        place = window.run("""const one = libtrace.line.selected; if (!one) return null;
            const label = libtrace.line.line.labels[one.lane.label[one.at]]; return [label.file, label.line, label.name]""")
        good = place is not None and (place[:2] == [finding["file"], finding["line"]] if finding["file"] else place[2] == finding["op"])
        tally.check(f"{page.name}: finding {at + 1} leads to the time line", good, place, finding["file"], finding["line"])


def arrows(tally, page, window, expected):
    """Every operation of the device that a call asked for finds it, and the call finds the operation."""
    found = window.run("""const line = libtrace.line; let known = 0, back = 0, all = 0;
        for (const track of line.tracks.filter(one => one.kind === 'stream')) for (const lane of track.lanes)
            for (let at = 0; at < lane.count; at++) {
                all++;
                const call = line.partners.of({track, lane, at})[0];
                if (!call) continue;
                known++;
                if (line.partners.of(call).some(one => one.lane === lane && one.at === at)) back++;
            }
        return [all, known, back]""")
    drawn = window.run("""const line = libtrace.line, step = line.line.steps.find(one => !one.aside && one.number > 2);
        if (!step) return [0, 0, 0];
        line.partners.prepare();
        line.foldAll(true);
        line.show(step.begin, step.begin + (step.end - step.begin) / 4);
        const inView = line.tracks.filter(one => one.kind === 'stream').reduce((sum, track) => sum + track.lanes.reduce((all, lane) =>
            all + lane.begin.filter((ns, at) => ns < line.view.end && lane.end[at] > line.view.begin).length, 0), 0);
        const links = line.links().length;
        line.link(false);
        const off = line.links().length;
        line.link(true);
        return [inView, links, off]""")
    tally.check(f"{page.name}: arrows of what is in view", drawn[0] == 0 or (drawn[1] >= expected * drawn[0] > 0 and drawn[2] == 0), drawn)
    tally.check(f"{page.name}: operations know their calls", found[0] > 0 and found[1] >= expected * found[0] and found[1] == found[2], found)


def check(tally, page, window, shots):
    window.size(1280, 900)
    window.open(page.file)
    counts(tally, page, window)
    if page.whole:
        times(tally, page, window)
        account(tally, page, window)
    moving(tally, page, window)
    folding(tally, page, window)
    searching(tally, page, window)
    links(tally, page, window)
    window.run("document.querySelector('#timeline').scrollIntoView()")
    window.shot(f"{shots}/{page.name}-timeline.png")
