#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the path of a virtual environment with an unmodified PyTorch CUDA wheel, making it first.

usage: fetch.py VERSION [--if-cached]
       fetch.py --cache                 print the folder of what is kept alone

The wheel comes without its vendor dependencies, pinned by version and hash, and is kept as a
repacked archive (device code blanked, headers dropped) beside the environment unpacked from it.
A second call downloads nothing.  Interruptible and safe to run twice at once.  What is kept is kept
in libtrace/ below XDG_CACHE_HOME or ~/.cache; below TMPDIR where that cannot be written.
"""
import ctypes
import fcntl
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

from cache import FALLBACK, WANTED, cache_folder, say
from elf import Elf

HERE = os.path.dirname(os.path.abspath(__file__))
RECIPE = "1"  # raise it when what goes into the archive changes
DROPPED = ("torch/include/", "torch/share/", "torch/bin/")
KEPT = ("torch/bin/torch_shm_manager",)
TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"


def digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def pip_command(scratch):
    """A pip of this interpreter: its own, or that of a throw-away environment."""
    own = [sys.executable, "-m", "pip"]
    if subprocess.run(own + ["--version"], capture_output=True).returncode == 0:
        return own
    room = os.path.join(scratch, "pip")
    if subprocess.run([sys.executable, "-m", "venv", room], stdout=sys.stderr).returncode:
        sys.exit("cudasim: no pip: apt-get install python3-venv")
    return [os.path.join(room, "bin", "python"), "-m", "pip"]


def download(pins, scratch):
    """Paths of the wheels of two requirement files, checked by hash."""
    files = os.path.join(scratch, "wheels")
    command = pip_command(scratch) + ["download", "--no-deps", "--require-hashes"]
    command += ["--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check"]
    bar = [] if sys.stderr.isatty() else ["--quiet"]
    for name in (pins, "needs.txt"):
        ask = command + bar + ["-d", files, "-r", os.path.join(HERE, name)]
        if subprocess.run(ask, stdout=sys.stderr).returncode:
            sys.exit(f"cudasim: could not download what {name} lists")
    return [os.path.join(files, name) for name in sorted(os.listdir(files))]


def blank_device_code(path):
    """Punch a hole over the device code: symbols, host code and layout stay as shipped."""
    section = Elf(path).sections.get(".nv_fatbin")
    if not section:
        return
    punch = ctypes.CDLL(None, use_errno=True).fallocate
    punch.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    with open(path, "r+b") as file:
        if punch(file.fileno(), 3, section[1], section[2]) == 0:
            return
        file.seek(section[1])
        for left in range(section[2], 0, -1 << 20):
            file.write(bytes(min(left, 1 << 20)))


def unpack_wheel(wheel, site):
    with zipfile.ZipFile(wheel) as archive:
        for item in archive.infolist():
            name = item.filename
            if name.startswith(DROPPED) and not name.startswith(KEPT):
                continue
            path = archive.extract(item, site)
            if not item.is_dir():
                os.chmod(path, (item.external_attr >> 16) & 0o777 | 0o644)
            if name.endswith(".so") and name.startswith("torch/lib/"):
                blank_device_code(path)


def make_archive(pins, archive, scratch):
    cache = os.path.dirname(archive)
    size = read(pins).split("size:", 1)[1].split("\n", 1)[0].strip()
    say(f"downloading the {pins[:-4]} wheel for {TAG}, {size} (once; kept repacked in {cache})")
    wheels = download(pins, scratch)
    say("repacking it")
    site = os.path.join(scratch, "site")
    for wheel in wheels:
        unpack_wheel(wheel, site)
        os.unlink(wheel)
    part = os.path.join(scratch, "archive")
    pack = ["tar", "-S", "-c", "-I", "zstd -q -T0 -9", "-f", part, "-C", site, "."]
    subprocess.run(pack, check=True)
    os.rename(part, archive)


def make_environment(archive, home, scratch):
    """An environment by hand: no scripts, so that it can be built elsewhere and renamed."""
    root = os.path.join(scratch, "env")
    version = "%d.%d" % sys.version_info[:2]
    site = os.path.join(root, "lib", f"python{version}", "site-packages")
    os.makedirs(site)
    os.makedirs(os.path.join(root, "bin"))
    base = os.path.realpath(sys.executable)
    for name in ("python", "python3", f"python{version}"):
        os.symlink(base, os.path.join(root, "bin", name))
    with open(os.path.join(root, "pyvenv.cfg"), "w", encoding="utf-8") as file:
        file.write(f"home = {os.path.dirname(base)}\ninclude-system-site-packages = false\n")
        file.write(f"version = {sys.version.split()[0]}\n")
    ready = os.path.join(scratch, "site")
    if os.path.isdir(ready):
        os.rmdir(site)
        os.rename(ready, site)
    else:
        subprocess.run(["tar", "-S", "-x", "-I", "zstd", "-f", archive, "-C", site], check=True)
    os.rename(root, home)


def compile_modules(home, cache):
    """Where no process may keep what it compiled, each would compile all of torch again: 10 s."""
    mark = os.path.join(home, "compiled")
    if not sys.dont_write_bytecode or os.path.exists(mark) or not os.access(home, os.W_OK):
        return
    with open(os.path.join(cache, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(mark):
            return
        say("compiling the modules (once)")
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        command = [sys.executable, "-m", "compileall", "-qq", "-j", "2", os.path.join(home, "lib")]
        subprocess.run(command, env=clean, stdout=sys.stderr)  # what fails is compiled when it is used
        with open(mark, "w", encoding="utf-8"):
            pass


def main(version, if_cached):
    pins = f"torch-{version}.txt"
    if not os.path.exists(os.path.join(HERE, pins)):
        sys.exit(f"cudasim: torch {version} is not pinned in {HERE}")
    key = digest(RECIPE, TAG, read(pins), read("needs.txt"))
    base = os.path.realpath(sys.executable)
    name = f"env-torch-{version}-{TAG}-{digest(key, base, sys.version)}"
    for cache in (WANTED, FALLBACK):
        home = os.path.join(cache, name)
        if os.path.isdir(home) and os.stat(cache).st_uid in (0, os.getuid()):
            compile_modules(home, cache)
            return home
    if if_cached:
        return None
    for tool in ("tar", "zstd"):
        if not shutil.which(tool):
            sys.exit(f"cudasim: {tool} is missing: apt-get install {tool}")
    cache = cache_folder()
    home = os.path.join(cache, name)
    archive = os.path.join(cache, f"torch-{version}-{TAG}-{key}.tar.zst")
    with open(os.path.join(cache, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.isdir(home):
            return home
        for left in glob.glob(os.path.join(cache, "work-*")):
            shutil.rmtree(left, ignore_errors=True)  # of a run that was killed
        scratch = tempfile.mkdtemp(prefix="work-", dir=cache)
        try:
            if not os.path.exists(archive):
                make_archive(pins, archive, scratch)
            make_environment(archive, home, scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    compile_modules(home, cache)
    return home


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found = cache_folder() if sys.argv[1] == "--cache" else main(sys.argv[1], "--if-cached" in sys.argv[2:])
    if not found:
        sys.exit(1)
    print(found)
