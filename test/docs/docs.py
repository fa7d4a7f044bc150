#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the texts of the tree point to is there; one line per thing that is not, then the closing line.

- A link in a .md file leads to a file or a heading.
- A name in backticks that looks like a file of the tree is one; `make TARGET` is a target of the Makefile.
- In a table with the columns question, file and holds, the file holds each name of the last column.
- Each room of scripts/rooms.txt and each folder of test/ has its line in the text that lists them.
usage: docs.py [FOLDER]       a tree under git, the current folder if none is named
"""
import fnmatch
import os
import re
import subprocess
import sys

FILE = re.compile(r"[\w.*/-]+\.(?:c|h|S|def|sh|py|md|txt|mk|1)")
FOLDER = re.compile(r"(?:analyzer|collector|preload|scripts|test|docs|\.ci)/[\w.*/-]*")
MADE = ("build/", "trace-", "train.py", "run1")  # what a build, a run or the reader makes
LISTS = {"docs/architecture.md": "rooms", "test/README.md": "tests"}

passed, failed = 0, 0


def judge(good, place, text):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {place}: {text}")


def without_blocks(text):
    """The text with its fenced blocks emptied, lines kept."""
    return re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)


def anchors(text):
    for heading in re.findall(r"^#+ (.*)$", without_blocks(text), re.M):
        yield re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def check_links(name, text):
    for found in re.finditer(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = found[1].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
        good = os.path.exists(path)
        if good and anchor:
            with open(path, encoding="utf-8") as file:
                good = anchor in anchors(file.read())
        judge(good, name, f"the link {found[1]} leads nowhere")


def is_there(word, name, files):
    """A file or folder of the tree: from the root, from the text's folder, or a bare name anywhere."""
    word = word.rstrip("/")
    here = os.path.normpath(os.path.join(os.path.dirname(name), word))
    for pattern in (word, here, "*/" + word):
        if fnmatch.filter(files, pattern) or fnmatch.filter(files, pattern + "/*"):
            return True
    return False


def check_names(name, text, files, targets):
    for word in re.findall(r"`([^`\n]+)`", text):
        if word.startswith("make "):
            target = re.match(r"make ([a-z][a-z-]*)?", word)[1]
            judge(not target or target in targets, name, f"`{word}`: {target} is no target of the Makefile")
        elif not word.startswith(MADE) and (FILE.fullmatch(word) or FOLDER.fullmatch(word)):
            judge(is_there(word, name, files), name, f"`{word}` is not in the tree")


def check_questions(name, text):
    """Rows "| question | `file` | `name`, `name` |" below a heading row "| question | file | holds |"."""
    for table in re.findall(r"^\|[^|\n]*\|[^|\n]*\| *holds *\|\n\|[-| ]*\n((?:\|.*\n?)*)", text, re.M):
        for row in table.splitlines():
            question, file, names = (cell.strip() for cell in row.strip("|").split("|"))
            for path in re.findall(r"`([^`]+)`", file):
                try:
                    with open(path, encoding="utf-8") as source:
                        content = source.read()
                except OSError:
                    judge(False, name, f"{question} names {path}, which is not there")
                    continue
                for word in re.findall(r"`([^`]+)`", names):
                    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", content)
                    judge(found, name, f"{question} {path} holds no {word}")


def listed(kind, files):
    if kind == "rooms":
        with open("scripts/rooms.txt", encoding="utf-8") as table:
            rows = [line.split()[0] for line in table if line.strip() and line[0] != "#"]
        return [row + "/" for row in rows if row != "library"]
    return sorted({"/".join(file.split("/")[:2]) + "/" for file in files
                   if file.startswith("test/") and file.count("/") > 1})


def main():
    if len(sys.argv) > 1:
        os.chdir(sys.argv[1])
    files = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    with open("Makefile", encoding="utf-8") as file:
        targets = set(re.findall(r"^([a-z-]+):", file.read(), re.M))
    for name in (file for file in files if file.endswith(".md")):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        plain = without_blocks(text)
        check_links(name, plain)
        check_names(name, plain, files, targets)
        check_questions(name, text)
        for entry in listed(LISTS[name], files) if name in LISTS else ():
            judge(f"`{entry}`" in text or f"`{entry.rstrip('/')}`" in text, name, f"no line for `{entry}`")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
