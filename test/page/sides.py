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


class Ranks:
    """Runs of four ranks: one of them is slower on the new side, and two do more there than the others."""

    def __init__(self, work, analyzer, name):
        self.name = f"comparison of ranks of {name}"
        one = json.loads(analyzer("report", "--format", "json", f"{work}/{name}.msgpack.zst"))
        sides = []
        for side in ("base", "new"):
            report = copy.deepcopy(one)
            process = report["run"]["processes"][0]
            report["run"].update(world_size=4, ranks=[0, 1, 2, 3], analysed_pid=0,
                                 processes=[{**process, "pid": rank, "rank": rank} for rank in range(4)])
            parts = ("health", "steps", "ratios", "account", "verdict", "findings", "counts")
            report["other_ranks"] = [{"rank": rank, **copy.deepcopy({part: one[part] for part in parts})} for rank in (1, 2, 3)]
            if side == "new":
                self.change(report["other_ranks"])
            sides.append(f"{work}/{side}-ranks-of-{name}.json")
            with open(sides[-1], "w", encoding="utf-8") as file:
                json.dump(report, file)
        self.file = f"{work}/ranks-{name}.html"
        analyzer("compare", "--format", "html", "-o", self.file, *sides)
        self.json = json.loads(analyzer("compare", "--format", "json", *sides))

    @staticmethod
    def change(others):
        slow = others[1]
        slow["steps"]["mean_ns"] *= 2
        slow["account"][0]["ns_per_step"] += slow["steps"]["mean_ns"] // 2
        slow["verdict"].update({"class": "io", "cause": "idle_input", "confidence": "low"})
        slow["ratios"]["reader_pct"] = 47.5
        slow["findings"] = []
        for other in others[1:]:
            sites = other["counts"]["sites"]
            sites.append(dict(sites[0], kind="sync", line=99, function="log", op="aten::item", host_ns=7200000))


# how wide the step of each rank and side is drawn, in shares of the widest
RANK_WIDTHS = """const widths = [...document.querySelectorAll('.rank .bar')].map(node => node.getBoundingClientRect().width);
return widths.map(width => width / Math.max(...widths))"""


def ranks(tally, page, window, shots):
    """Every rank, all on one scale; the rest of the page is that of the rank that was chosen."""
    both = page.json
    all_ranks = [dict(both, rank=both["base"]["rank"]), *both["other_ranks"]]
    for width, theme in ((1280, "light"), (390, "dark")):
        window.size(width, 900)
        window.media("prefers-color-scheme", theme)
        window.open(page.file)
        tally.same(f"{page.name} at {width}: nothing sticks out or is cut", window.run(looks.TROUBLE), [0, []])
        window.shot(f"{shots}/sides-ranks-{width}-{theme}.png", whole=True)
    window.size(1280, 900)
    window.media()
    window.open(page.file)
    tally.same(f"{page.name}: every rank", window.run(TEXT, ".rank button"), [f"rank {one['rank']}" for one in all_ranks])
    sums = [sum(row["ns_per_step"][side] for row in one["account"]) for one in all_ranks for side in ("base", "new")]
    drawn = window.run(RANK_WIDTHS)
    tally.check(f"{page.name}: all on one scale", len(drawn) == len(sums) and all(
        abs(seen - whole / max(sums)) < 0.01 for seen, whole in zip(drawn, sums)) and min(drawn) < 0.7, drawn, sums)
    labels = {"io": "IO bound", "mixed": "mixed"}
    for at, one in enumerate(all_ranks):
        verdicts = [f"{labels[one[side]['verdict']]} ({one[side]['cause'].replace('_', ' ')})" for side in ("base", "new")]
        shown = window.run(TEXT, ".rank .verdicts")[at]
        tally.same(f"{page.name}: verdicts of rank {one['rank']}", shown,
                   f"{verdicts[0]} on both sides" if verdicts[0] == verdicts[1] else " → ".join(verdicts))
        ratios = ", ".join(f"{label} {one[key]['base']:.1f} % → {one[key]['new']:.1f} %" for label, key in
                           (("waiting for data", "reader_pct"), ("GPU busy", "gpu_busy_pct"), ("host not waiting", "host_pct")))
        tally.same(f"{page.name}: ratios of rank {one['rank']}", window.run(TEXT, ".rank .ratios")[at], ratios)
    slow = all_ranks[2]
    tally.check(f"{page.name}: one rank is another", slow["new"]["verdict"] == "io" and slow["new"]["confidence"] == "low", slow["new"])
    window.run("document.querySelectorAll('.rank button')[2].click()")
    chosen(tally, page, window, slow)
    window.open(page.file, "#rank=3")
    chosen(tally, page, window, all_ranks[3])
    window.run("document.querySelector('#tab-uneven').click()")
    uneven = window.run("return [...document.querySelectorAll('#table-uneven tbody tr')].map(row => [row.children[1].textContent, "
                        "[...row.children].some(cell => cell.textContent === '2–3')])")
    tally.check(f"{page.name}: what did not change alike", len(uneven) == len(both["uneven"]) > 0 and any(two for _, two in uneven), uneven)


def chosen(tally, page, window, one):
    step = one["step_ns"]
    what = f"{page.name}: rank {one['rank']} chosen"
    tally.same(f"{what}: its button", window.run("return [...document.querySelectorAll('.rank button')].map(node => node.ariaPressed)"),
               [str(rank == one["rank"]).lower() for rank in range(4)])
    tally.check(f"{what}: step", f"{100 * step['change'] / step['base']:.1f} %" in window.run(TEXT, "h1")[0], window.run(TEXT, "h1"), step)
    tally.check(f"{what}: verdict", f"{one['new']['confidence']} confidence" in window.run(TEXT, "#comparison .meta")[-1])
    tally.same(f"{what}: waiting for data", window.run(TEXT, ".tile b")[0],
               f"{one['reader_pct']['base']:.1f} % → {one['reader_pct']['new']:.1f} %")
    tally.same(f"{what}: findings", window.run(TEXT, ".finding .state"), [finding["state"] for finding in one["findings"]])
    tally.same(f"{what}: lines", window.run("return document.querySelectorAll('#table-sites tbody tr').length"), len(one["sites"]))


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
    tally.same(f"{page.name}: without ranks there is no list of them", window.run(TEXT, "#ranks, #tab-uneven"), [])
    tally.same(f"{page.name}: names stay names", window.run("return [window.hurt === undefined, document.querySelector('img')]"), [True, None])
