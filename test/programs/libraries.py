# SPDX-License-Identifier: MIT
"""Print the folder with the packages of needs.txt, or of another such file, installing them first.

usage: test/cudasim/run python3 libraries.py [FILE]

They are pinned by version and hash and kept beside the PyTorch wheels; a second call downloads nothing."""
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cudasim", "wheel"))
import fetch  # noqa: E402

NEEDS = os.path.join(HERE, "needs.txt")


def install(needs, home, scratch):
    site = os.path.join(scratch, "site-packages")
    fetch.say(f"downloading what {os.path.relpath(needs)} lists, up to 250 MB (once)")
    command = [*fetch.pip_command(scratch), "install", "--quiet", "--no-deps", "--require-hashes", "--no-cache-dir",
               "--only-binary=:all:", "--no-compile", "--disable-pip-version-check", "--root-user-action=ignore"]
    if subprocess.run([*command, "--target", site, "-r", needs], stdout=sys.stderr).returncode:
        sys.exit(f"libraries: could not install what {os.path.basename(needs)} lists")
    os.makedirs(os.path.dirname(home), exist_ok=True)
    os.rename(site, home)


def main(needs=NEEDS):
    if fetch.TAG != "cp311":
        sys.exit(f"libraries: the wheels are pinned for CPython 3.11, not {fetch.TAG}")
    cache = fetch.cache_folder()
    with open(needs, encoding="utf-8") as file:
        name = f"libraries-{fetch.TAG}-{fetch.digest(file.read())}"
    home = os.path.join(cache, name, "site-packages")
    if not os.path.isdir(home):
        with open(os.path.join(cache, "lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            scratch = tempfile.mkdtemp(dir=cache)
            try:
                if not os.path.isdir(home):
                    install(needs, home, scratch)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    print(home)


if __name__ == "__main__":
    main(*sys.argv[1:])
