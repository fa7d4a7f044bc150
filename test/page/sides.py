# SPDX-License-Identifier: MIT
"""A comparison as a page: what JSON says of both sides, on one scale."""
import copy
import json

import looks

TEXT = "return [...document.querySelectorAll(arguments[0])].map(node => node.textContent)"
# how wide a side's step is drawn, in shares of the widest; then the widths of its parts
WIDTHS = """const bars = [...document.querySelectorAll('#account .bar')];
const widths = bars.map(node => node.getBoundingClientRect().width);
return [widths.map(width => width / Math.max(...widths)), bars.map(node => node.children.length)]"""


class Sides:
    """Two reports, one of them changed, compared as page and as JSON."""

    def __init__(self, work, analyzer, name):
        self.name = f"comparison of {name}"
        base = json.loads(analyzer("report", "--format", "json", f"{work}/{name}.msgpack.zst"))
        new = copy.deepcopy(base)
        new["steps"]["mean_ns"] = new["steps"]["mean_ns"] * 3 // 2
        grown = max(new["account"], key=lambda row: row["ns_per_step"])
        grown["ns_per_step"] += new["steps"]["mean_ns"] // 3
        new["counts"]["calls"][0]["count"] *= 2
        new["findings"] = new["findings"][1:] + [dict(one, rule="hostile", file="<img src=x onerror=hurt=1>.py",
                                                      text="</script><b>&amp;") for one in new["findings"][:1]]
        new["run"]["versions"]["simulated"] = "0"
        sides = []
        for side, report in (("base", base), ("new", new)):
            sides.append(f"{work}/{side}-of-{name}.json")
            with open(sides[-1], "w", encoding="utf-8") as file:
                json.dump(report, file)
        self.file = f"{work}/sides-{name}.html"
        analyzer("compare", "--format", "html", "-o", self.file, *sides)
        self.json = json.loads(analyzer("compare", "--format", "json", *sides))


def check(tally, page, window, shots):
    both = page.json
    for width, theme in ((1280, "light"), (390, "dark")):
        window.size(width, 900)
        window.media("prefers-color-scheme", theme)
        window.open(page.file)
        tally.same(f"{page.name} at {width}: nothing sticks out or is cut", window.run(looks.TROUBLE), [0, []])
        window.shot(f"{shots}/sides-{width}-{theme}.png", whole=True)
    window.size(1280, 900)
    window.media()
    window.open(page.file)
    step = both["step_ns"]
    share = 100 * step["change"] / step["base"]
    tally.check(f"{page.name}: the step", f"(+{share:.1f} %)" in window.run(TEXT, "h1")[0], window.run(TEXT, "h1"), step)
    tally.same(f"{page.name}: a simulated side is told", window.run(TEXT, "#modelled"),
               ["new is of a simulated GPU: compare counts alone, its times are modelled."])
    rows = [row for row in both["account"] if row["ns_per_step"]["base"] > 0 or row["ns_per_step"]["new"] > 0]
    tally.same(f"{page.name}: a row for each cause", len(window.run(TEXT, ".account tbody tr")), len(rows))
    sums = [sum(row["ns_per_step"][side] for row in rows) for side in ("base", "new")]
    shares, parts = window.run(WIDTHS)
    tally.check(f"{page.name}: both on one scale", all(abs(seen - whole / max(sums)) < 0.01 for seen, whole in zip(shares, sums)),
                shares, sums)
    tally.same(f"{page.name}: parts of a step", parts,
               [sum(row["ns_per_step"][side] > 0 for row in rows) for side in ("base", "new")])
    tally.same(f"{page.name}: findings", window.run(TEXT, ".finding .state"), [one["state"] for one in both["findings"]])
    tally.check(f"{page.name}: one is new, one is gone", {"new", "gone"} <= {one["state"] for one in both["findings"]}, both["findings"])
    for name in ("sites", "operators", "kernels", "copies", "calls"):
        window.run("document.querySelector(arguments[0]).click()", f"#tab-{name}")
        shown = window.run("return document.querySelectorAll('#table-box tbody tr').length")
        tally.same(f"{page.name}: {name}", shown, min(200, len(both[name])))
    tally.same(f"{page.name}: names stay names", window.run("return [window.hurt === undefined, document.querySelector('img')]"), [True, None])
