# SPDX-License-Identifier: MIT
"""Run the programs and compare the analyzer's reports with what is true; see README.md.

usage: run.py [--large] [--keep FOLDER [--again]] [NAME...]"""
import argparse
import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "scripts"), os.path.join(ROOT, "test", "scenarios")]
import read_trace  # noqa: E402
import truth  # noqa: E402

BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
SIMULATED = os.path.join(ROOT, "test", "cudasim", "run")
SECONDS = 240
# Waits that a program asks for by name, of which PyTorch does not warn.
EXPLICIT = ("cudaDeviceSynchronize", "cudaEventSynchronize")


class Absent(Exception):
    """What the program needs cannot be had here."""


def libraries():
    """The folder of what the large programs import."""
    done = subprocess.run([SIMULATED, "python3", os.path.join(HERE, "libraries.py")], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise Absent((done.stderr.strip() or "no libraries").splitlines()[-1])
    return done.stdout.strip()


def run(label, folder):
    """The program under the library, while PyTorch tells what waits; ValueError when it fails."""
    os.makedirs(folder)
    paths = [HERE, *([libraries()] if "needs" in label.values else [])]
    environment = dict(label.settings, OMP_NUM_THREADS="1", PYTHONPATH=":".join(paths), PYTHONDONTWRITEBYTECODE="1",
                       HF_HUB_OFFLINE="1", LIBTRACE_LOG="quiet", LIBTRACE_OUT=os.path.join(folder, "trace"),
                       LD_PRELOAD=os.path.join(BUILD, "libtrace.so"))
    words = [SIMULATED, "env", *(f"{name}={value}" for name, value in environment.items()), "python3",
             os.path.join(HERE, "warned.py"), os.path.join(folder, "warned"), label.script]
    with open(os.path.join(folder, "out"), "w", encoding="utf-8") as out:
        try:
            code = subprocess.run(words, stdout=out, stderr=out, timeout=SECONDS, check=False).returncode
        except subprocess.TimeoutExpired:
            code = 124
    if code:
        with open(os.path.join(folder, "out"), encoding="utf-8", errors="replace") as file:
            raise ValueError(f"ended with {code}: {' '.join(file.read().split()[-20:])}")


def report_of(folder):
    done = subprocess.run([os.path.join(BUILD, "trace-analyzer"), "report", "--format", "json",
                           os.path.join(folder, "trace")], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def place_of(path, line):
    return f"{os.path.basename(path)}:{line}"


def is_own(path):
    return os.path.abspath(path).startswith(HERE + os.sep)


def is_library(path):
    """Of a package, but neither PyTorch nor Python's own."""
    return "/site-packages/" in path and "/site-packages/torch/" not in path


def joined(own, library):
    """The program's line, and where in a package it went through one."""
    if own is None:
        return "no line"
    return own if library is None else f"{library}, called from {own}"


def warned_places(folder):
    """How often PyTorch warned at each line of the program's own, with the innermost line of a package before it."""
    places = collections.Counter()
    with open(os.path.join(folder, "warned"), encoding="utf-8") as file:
        for line in file:
            count, frames = json.loads(line)
            own = next((i for i, frame in enumerate(frames) if is_own(frame[0])), None)
            library = next((place_of(*frame) for frame in frames[:own] if is_library(frame[0])), None)
            places[joined(None if own is None else place_of(*frames[own]), library)] += count
    return places


def recorded_places(folder):
    """How often the trace has a wait at each line of the program's own."""
    places = collections.Counter()
    for path in glob.glob(os.path.join(folder, "trace", "*.zst")):
        trace = read_trace.Trace(path)
        for event in trace.events():
            if event["kind"] != "sync" or trace.defined["call"][event["call"]]["name"] in EXPLICIT:
                continue
            place = trace.defined["place"].get(event["place"], {})
            file, library = (text_of(trace, place.get(key, 0)) for key in ("user_file", "library_file"))
            places[joined(place_of(file, place["user_line"]) if is_own(file) else None,
                          place_of(library, place["library_line"]) if library else None)] += 1
    return places


def text_of(trace, name):
    found = trace.defined["name"].get(name, "")
    return found["text"] if isinstance(found, dict) else found


def differences(label, folder):
    """What is wrong, as (aspect, sentence)."""
    report = report_of(folder)
    steps, findings = report["steps"], report["findings"]
    if label["steps"] != ["any"] and str(steps["count"]) not in label["steps"]:
        yield "steps", f"{steps['count']} steps by {steps['method']} ({steps['confidence']}), {label['steps']} are true"
    if label["class"] and report["verdict"]["class"] not in label["class"]:
        yield "class", f"{report['verdict']['class']} instead of {'|'.join(label['class'])}"
    named = {finding["line"] for finding in findings if finding["rule"] in label["rule"]
             and os.path.basename(finding["file"] or "") == os.path.basename(label.script)}
    if label.lines - named:
        yield "line", f"{'|'.join(label['rule'])} at {sorted(filter(None, named))} instead of {sorted(label.lines)}"
    for finding in findings:
        if finding["file"] and not is_own(finding["file"]):
            yield "library", f"{finding['rule']} at {finding['file']}:{finding['line']} without the program's line"
    warned, recorded = warned_places(folder), recorded_places(folder)
    for what, places in (("recorded", warned - recorded), ("warned of", recorded - warned)):
        for place, count in sorted(places.items(), key=str):
            yield "waits", f"{count} waits at {place} not {what}"
    if sum(warned.values()) == 0:
        yield "waits", "PyTorch warned of nothing"
    if "places" in label.values and int(label.values["places"]) != len(warned):
        yield "waits", f"PyTorch warned of {len(warned)} places, {label.values['places']} were planned"


def read_known():
    known = collections.defaultdict(dict)
    with open(os.path.join(HERE, "known.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, aspect, why = line.split(None, 2)
                known[name][aspect] = why.strip()
    return known


def judge(label, folder, known):
    """The sentences that fail the program; what is known to be wrong has to be wrong."""
    aspects = {}
    for aspect, sentence in differences(label, folder):
        aspects.setdefault(aspect, []).append(sentence)
    for aspect, sentences in aspects.items():
        if aspect not in known and aspect + "?" not in known:
            yield from sentences
    for aspect in known:
        if not aspect.endswith("?") and aspect not in aspects:
            yield f"{aspect} is now right: take it out of known.txt"


def parse():
    parser = argparse.ArgumentParser(description="Run the programs.")
    parser.add_argument("--large", action="store_true", help="also those that need libraries")
    parser.add_argument("--keep", help="leave traces and outputs in this folder")
    parser.add_argument("--again", action="store_true", help="run nothing, judge anew what --keep has left")
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def choose(options):
    scripts = sorted(glob.glob(os.path.join(HERE, "small", "*.py")))
    if options.large or options.names:
        scripts += sorted(glob.glob(os.path.join(HERE, "large", "*.py")))
    labels = [truth.Label(script) for script in scripts]
    return [label for label in labels if not options.names or label.name in options.names]


def main():
    options, known = parse(), read_known()
    work = options.keep or tempfile.mkdtemp(prefix="programs-")
    passed = failed = skipped = 0
    for label in choose(options):
        folder = os.path.join(work, label.name)
        try:
            if not options.again:
                shutil.rmtree(folder, ignore_errors=True)
                run(label, folder)
            problems = list(judge(label, folder, known[label.name]))
        except Absent as reason:
            print(f"skip {label.name}: {reason}")
            skipped += 1
            continue
        except ValueError as error:
            problems = [str(error)]
        passed, failed = passed + (not problems), failed + bool(problems)
        print(f"{'not ok' if problems else 'ok'} {label.name}{': ' * bool(problems)}{'; '.join(problems)}", flush=True)
    if not options.keep:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
