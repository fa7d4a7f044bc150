"""Sets two JSON reports side by side: verdict, step time, ratios, and what the first one predicted."""
import json
import sys


def value(number, unit=""):
    return "unknown" if number is None else f"{number}{unit}"


def milliseconds(nanoseconds):
    return "unknown" if nanoseconds is None else f"{nanoseconds / 1e6:.2f} ms"


def main():
    before, after = (json.load(open(path)) for path in sys.argv[1:3])
    rows = [("", "as it was", "mended")]
    rows.append(("verdict", *(r["verdict"]["class"] for r in (before, after))))
    rows.append(("step, mean", *(milliseconds(r["steps"]["mean_ns"]) for r in (before, after))))
    for key, name in (("reader_pct", "waiting for data"), ("gpu_busy_pct", "GPU busy")):
        rows.append((name, *(value(r["ratios"][key], " %") for r in (before, after))))
    mendable = (sum(f["severity"] != "info" for f in r["findings"]) for r in (before, after))
    rows.append(("findings to mend", *mendable))
    for row in rows:
        print("{:<18}{:>16}{:>16}".format(*map(str, row)))

    print("\npredicted from the first run, for each finding mended alone:")
    for finding in before["findings"]:
        if finding.get("part_of"):  # another finding has its gain
            continue
        where = f"{finding['file'] or '-'}:{finding['line'] or finding['function'] or ''}"
        print(f"  {finding['rule']:<22}{where:<40}{milliseconds(finding['predicted_step_ns']):>12}")
    together = before["steps"].get("predicted_ns")
    if together is not None:
        print(f"  {'all of them':<62}{milliseconds(together):>12}")
    measured = milliseconds(after["steps"]["mean_ns"])
    print(f"  {'measured after mending all':<62}{measured:>12}")


if __name__ == "__main__":
    main()
