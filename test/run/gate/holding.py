"""Runs held against a baseline: what the gate answers, and whether it names the rows and lines that it should."""
import json
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
ANALYZER = ROOT / "build/trace-analyzer"
passed = failed = 0


def tell(good, name, why=""):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    print("ok" if good else "FAIL", name, "" if good else why, flush=True)
    return good


LATE = "terminate called without an active exception"  # its own end, recorded or not; docs/attack.md


def record(folder, words, **how):
    """Run a program that is recorded in folder/run; it ends well, or the interpreter dies of itself when all is done."""
    for _ in range(12):
        shutil.rmtree(folder / "run", ignore_errors=True)
        done = subprocess.run(words, capture_output=True, text=True, timeout=600, **how)
        if done.returncode == 0:
            return
        if LATE not in done.stderr:
            break
        print("again: the interpreter died at its end", flush=True)
    raise RuntimeError(f"{folder}: {done.stderr[-800:]}")


def check(folder, *options):
    """The gate's answer on the run of a folder, in which it is asked."""
    done = subprocess.run([ANALYZER, "check", "run", "--format", "json", *options], cwd=folder, capture_output=True,
                          text=True)
    return done.returncode, done.stdout, done.stderr


def hold_same(folder, baseline, name):
    """The same script again does the same."""
    code, out, err = check(folder, "--baseline", baseline)
    return tell(code == 0, name, f"exit code {code}: {out[-800:]} {err[-300:]}")


def hold_mistake(folder, script, baseline, name, rows):
    """Each row that must fail does, at its line, and no other: rows are (what, begin of the line's text; None: no line)."""
    code, out, err = check(folder, "--baseline", baseline)
    if code != 1:
        return tell(False, name, f"exit code {code}: {out[-300:]} {err[-300:]}")
    lines = (folder / script).read_text().splitlines()
    found = set()
    for row in json.loads(out)["failures"]:
        line = lines[row["line"] - 1].strip() if row["line"] and row["file"] == script else None
        wanted = next((text for what, text in rows
                       if what == row["what"] and (text is None) == (line is None) and (line or "").startswith(text or "")),
                      line)
        found.add((row["what"], wanted))
    return tell(found == rows, name, f"wanted {sorted(map(str, rows))}, found {sorted(map(str, found))}")


def put(text, line, where, new):
    """The script with a line put before or instead of the only one of that text."""
    assert text.count(line + "\n") == 1, (line, text.count(line + "\n"))
    return text.replace(line + "\n", new + "\n" + (line + "\n" if where == "before" else ""))
