# SPDX-License-Identifier: MIT
"""Every section of a page says what the JSON report says."""
import csv
import io

TABLES = ("modules", "ranges", "step_phases", "gpu_activities", "api_calls", "kernels", "copies", "launches", "lines", "collectives",
          "threads", "workers", "files", "streams", "devices", "distribution", "memory", "failed_calls")

TEXT = "return [...document.querySelectorAll(arguments[0])].map(node => node.textContent)"
MARKED = "return document.querySelector(arguments[0]).className === 'none'"
CLICK = "document.querySelector(arguments[0]).click()"
# saving goes through a link: keep what it would store
CATCH = """const kept = {}; window.kept = kept;
    URL.createObjectURL = blob => { kept.blob = blob; return '#kept'; };
    document.querySelector('#table-csv').click();"""
KEPT = "const done = arguments[0]; window.kept.blob.text().then(done)"


def verdict(tally, page, window):
    report = page.report
    tally.same(f"{page.name}: verdict", window.run(TEXT, ".sentence"), [report["verdict"]["text"]])
    told = window.run(TEXT, ".confidence")
    wanted = [] if report["verdict"]["class"] == "insufficient" else [f'{report["verdict"]["confidence"]} confidence']
    tally.same(f"{page.name}: confidence", told, wanted)
    doubts = [doubt["text"] for doubt in report["verdict"]["lowered_by"]] + report["health"]["reasons"]
    tally.same(f"{page.name}: doubts", window.run(TEXT, ".doubts li"), doubts)
    ratios = report["ratios"]
    thread = report["host_thread"] or {"on_processor_pct": None}
    known = thread["on_processor_pct"] is not None
    numbers = [ratios["reader_pct"], ratios["gpu_busy_pct"], thread["on_processor_pct"] if known else ratios["host_pct"],
               ratios["waiting_for_gpu_pct"]]
    wanted = ["–" if number is None else f"{number:.1f} %" for number in numbers]
    tally.same(f"{page.name}: ratios", window.run(TEXT, ".tile b"), wanted)
    tally.same(f"{page.name}: whose time the host's is", window.run(TEXT, ".tile > span")[2], "host busy" if known else "host not waiting")
    limits = report["tables"]["thresholds"]
    marks = window.run("return [...document.querySelectorAll('.gauge u')].map(node => parseFloat(node.style.left))")
    tally.same(f"{page.name}: limits are drawn", marks, [limits["io"], limits["cpu"], limits["gpu"]])
    rows = window.run(TEXT, ".account td:last-child")
    wanted = [f"{row['pct']:.1f} %" for row in report["account"] if row["ns_per_step"] > 0]
    tally.same(f"{page.name}: account", rows, wanted)


def findings(tally, page, window):
    cards = window.run("""return [...document.querySelectorAll('.finding')].map(card => ({rule: card.querySelector('code').textContent,
        severity: card.querySelector('.severity').textContent, advice: card.querySelector('.advice').textContent,
        evidence: card.querySelector('.evidence').textContent, where: card.querySelector('h3').textContent}))""")
    wanted = page.report["findings"]
    tally.same(f"{page.name}: findings", [(card["rule"], card["severity"], card["advice"], card["evidence"]) for card in cards],
               [(one["rule"], one["severity"], one["advice"], one["evidence"]) for one in wanted])
    for card, one in zip(cards, wanted):
        if one["file"] and one["line"]:
            tally.check(f"{page.name}: {one['rule']} has its place", f"{one['file'].split('/')[-1]}:{one['line']}" in card["where"], card)
    for number in (1, len(wanted)):
        if wanted:
            window.run("location.hash = `finding=${arguments[0]}`", number)
            focus = window.run("return new Promise(done => setTimeout(() => done(document.activeElement.id), 30))")
            tally.same(f"{page.name}: link to finding {number}", focus, f"finding-{number}")


def tables(tally, page, window):
    for name in TABLES:
        rows = page.report["tables"][name]
        tally.same(f"{page.name}: {name} is marked where it is empty", window.run(MARKED, f"#tab-{name}"), not rows)
        window.run(CLICK, f"#tab-{name}")
        if not rows:
            tally.same(f"{page.name}: {name} is empty", len(window.run(TEXT, "#table-box .empty")), 1)
            continue
        more = window.run("const more = document.querySelector('.more'); if (more) more.click(); return more !== null")
        tally.same(f"{page.name}: {name} has all rows", window.run("return document.querySelectorAll('#table-box tbody tr').length"), len(rows))
        tally.same(f"{page.name}: {name} shows some first", more, len(rows) > 200)
        window.run(CATCH)
        stored = list(csv.DictReader(io.StringIO(window.wait(KEPT), newline="")))
        found = sorted(tuple(row[key] for key in sorted(rows[0])) for row in stored)
        wanted = sorted(tuple("" if row[key] is None else text(row[key]) for key in sorted(rows[0])) for row in rows)
        tally.same(f"{page.name}: {name} as CSV", found, wanted)


def operators(tally, page, window):
    """The host's times are the report's; what ran on the GPU is what the streams have, each operation once."""
    window.wait("libtrace.settled.then(arguments[0])")
    rows = page.report["tables"]["operators"]
    window.run(CLICK, "#tab-operators")
    if not rows:
        tally.same(f"{page.name}: no operators", len(window.run(TEXT, "#table-box .empty")), 1)
        return
    window.run(CATCH)
    stored = {row["name"]: row for row in csv.DictReader(io.StringIO(window.wait(KEPT), newline=""))}
    found = {name: [int(row["count"]), int(row["self_ns"]), int(row["total_ns"])] for name, row in stored.items()}
    tally.same(f"{page.name}: operators", found, {row["name"]: [row["count"], row["self_ns"], row["total_ns"]] for row in rows})
    on_device = sum(int(row["device_ns"]) for row in stored.values())
    known = sum(row["total_ns"] for row in page.report["tables"]["gpu_activities"] or [])
    tally.check(f"{page.name}: operators have no more of the GPU than there is", on_device <= known, on_device, known)
    tally.check(f"{page.name}: in total there is more than in an operator itself", all(
        int(row["device_total_ns"]) >= int(row["device_ns"]) for row in stored.values()))
    beneath = window.run("""const found = [], names = [...document.querySelectorAll('#table-operators .unfold')].slice(0, 4).map(one => one.parentNode.title);
        const buttonOf = name => [...document.querySelectorAll('#table-operators .unfold')].find(one => one.parentNode.title === name);
        for (const name of names) {
            buttonOf(name).click();
            let kernels = 0;
            for (let row = buttonOf(name).closest('tr').nextSibling; row && row.className === 'beneath'; row = row.nextSibling)
                kernels += Number(row.children[6].textContent.replace(/[^0-9]/g, ''));
            found.push([name, kernels]);
        }
        return found""")
    for name, kernels in beneath:
        tally.same(f"{page.name}: an operator unfolds to what ran beneath", kernels, int(stored[name]["kernels"]))
    if page.name == "generated":
        tally.check(f"{page.name}: something ran beneath operators", len(beneath) > 0, beneath)


def text(value):
    """A number as JavaScript writes it."""
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)


def sorting(tally, page, window):
    rows = page.report["tables"].get("api_calls", [])
    if len(rows) < 2:
        return
    window.run(CLICK, "#tab-api_calls")
    names = "return [...document.querySelectorAll('#table-api_calls tbody tr td:first-child')].map(node => node.textContent)"
    totals = sorted((row["total_ns"] for row in rows), reverse=True)
    by_name = {row["name"]: row["total_ns"] for row in rows}
    tally.same(f"{page.name}: sorted by total", [by_name[name] for name in window.run(names)], totals)
    heading = """const head = [...document.querySelectorAll('#table-api_calls th button')].find(node => node.textContent === arguments[0]);
        head.click();"""
    window.run(heading, "count")
    counts = {row["name"]: row["count"] for row in rows}
    shown = [counts[name] for name in window.run(names)]
    tally.same(f"{page.name}: sorted by count", shown, sorted(shown, reverse=True))
    window.run(heading, "count")
    shown = [counts[name] for name in window.run(names)]
    tally.same(f"{page.name}: sorted the other way", shown, sorted(shown))
    word = rows[0]["name"][-6:]
    window.run("""const box = document.querySelector('#table-search'); box.value = arguments[0];
        box.dispatchEvent(new Event('input'))""", word.upper())
    tally.same(f"{page.name}: search", sorted(window.run(names)), sorted(row["name"] for row in rows if word in row["name"]))


def check(tally, page, window):
    verdict(tally, page, window)
    findings(tally, page, window)
    tables(tally, page, window)
    operators(tally, page, window)
    sorting(tally, page, window)
    sources = window.run("return [...document.querySelectorAll('#run dt')].map(node => node.textContent)")
    tally.check(f"{page.name}: settings", all(name in sources for name in page.report["run"]["settings"]), sources)
    tally.check(f"{page.name}: sources", all(name in sources for name in page.report["run"]["sources"]), sources)
