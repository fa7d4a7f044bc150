#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the libraries that stand in for a GPU's in a PyTorch program, separated by colons.

usage: simulate.py OBJECTS COMMAND [ARGUMENT]...

They are linked for the PyTorch that COMMAND will find, which is asked of its interpreter without
importing anything, and kept; the second time nothing is made.  OBJECTS is the folder where the
parts lie.  Ends with status 4 and one line when the command has no PyTorch that could use them.
"""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import cache
import stubs

TESTED = ("2.9.1", "2.15.0")
NEEDS = "torch numpy filelock typing-extensions sympy networkx jinja2 fsspec"
# The version is in a file of its own, so that nothing of the package has to be loaded.
ASK = """
import importlib.util, json, os
spec = importlib.util.find_spec("torch")
folder = spec and spec.submodule_search_locations and list(spec.submodule_search_locations)[0]
path = folder and os.path.join(folder, "version.py")
text = open(path).read() if path and os.path.exists(path) else None
print(json.dumps({"folder": folder, "text": text}))
"""


def fail(text):
    print(f"trace-run: --simulate: {text}", file=sys.stderr)
    sys.exit(4)


def named_interpreter(path):
    """The Python that a script names in its first line, or None."""
    try:
        with open(path, "rb") as file:
            line = file.readline(512)
    except OSError:
        return None
    words = line[2:].decode(errors="replace").split() if line[:2] == b"#!" else []
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words and os.path.basename(words[0]).startswith("python") else None


def interpreter_of(command):
    """The Python that the command is run by; that of the search path where it does not say."""
    path = shutil.which(command)
    if path and os.path.basename(path).startswith("python"):
        return path
    found = shutil.which((path and named_interpreter(path)) or "python3") or shutil.which("python")
    return found or fail("no python3 is on the search path")


def torch_of(python):
    """Folder, version and CUDA version of PyTorch."""
    clean = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([python, "-c", ASK], stdout=subprocess.PIPE, env=clean)
    try:
        found = json.loads(done.stdout.decode().splitlines()[-1])
    except (ValueError, IndexError):
        fail(f"{python} could not be asked for its PyTorch (status {done.returncode})")
    if not found["text"]:
        fail(f"{python} has no PyTorch, and the simulated GPU is for PyTorch programs: start the program "
             f"with the Python that has it, or install it: {python} -m pip install --no-deps {NEEDS}")
    facts = dict(re.findall(r"^(\w+)(?:\s*:[^=]+)? = '([^']*)'", found["text"], re.MULTILINE))
    return found["folder"], facts.get("__version__", "unknown"), facts.get("cuda")


def check(python, version, cuda, objects):
    """Only builds for a CUDA that is simulated can be run."""
    bare = version.split("+")[0]
    if not cuda:
        fail(f"PyTorch {version} of {python} is built without CUDA; the build with it needs none of the "
             f"nvidia packages here: {python} -m pip install --force-reinstall --no-deps torch=={bare}")
    majors = sorted(os.path.basename(os.path.dirname(path))
                    for path in glob.glob(os.path.join(objects, "obj", "1[0-9]", "libcudart.o")))
    if cuda.split(".")[0] not in majors:
        fail(f"PyTorch {version} of {python} is built for CUDA {cuda}; simulated are {' and '.join(majors)}")
    if bare not in TESTED and os.environ.get("LIBTRACE_LOG") != "quiet":
        print(f"trace-run: --simulate: PyTorch {version} has not been tried on the simulated GPU "
              f"(tried: {', '.join(TESTED)})", file=sys.stderr)


def kept_folder():
    for folder in (cache.cache_folder(), cache.FALLBACK):
        if not re.search(r"[\s:$]", folder) and cache.writable(folder):
            return folder
    fail(f"{folder}: libraries there cannot be preloaded; name a folder in XDG_CACHE_HOME without blank, "
         "colon and dollar sign")


def main(objects, command):
    python = interpreter_of(command)
    folder, version, cuda = torch_of(python)
    check(python, version, cuda, objects)
    name = hashlib.sha256("\0".join((os.path.realpath(folder), os.path.realpath(objects))).encode()).hexdigest()
    output = os.path.join(kept_folder(), f"simulated-{version.split('+')[0]}-{name[:12]}")
    if not shutil.which(os.environ.get("CC", "gcc")) and not os.path.exists(os.path.join(output, "stamp")):
        fail("a C compiler is needed to link the libraries once: apt-get install gcc libc6-dev")
    stubs.make(folder, objects, output)
    libraries = sorted(glob.glob(os.path.join(output, "lib*.so.*")))
    if os.environ.get("LIBTRACE_LOG") != "quiet":
        print(f"trace-run: PyTorch {version} on a simulated GPU: counts are the program's, times are modelled",
              file=sys.stderr)
    print(":".join(libraries))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:3])
