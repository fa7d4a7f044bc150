# SPDX-License-Identifier: MIT
"""Print the folder with the packages of needs.txt, installing them first.

usage: test/cudasim/run python3 libraries.py

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


def install(home, scratch):
    site = os.path.join(scratch, "site-packages")
    fetch.say("downloading the libraries of test/programs, 60 MB (once)")
    command = [*fetch.pip_command(scratch), "install", "--quiet", "--no-deps", "--require-hashes", "--no-cache-dir",
               "--only-binary=:all:", "--no-compile", "--disable-pip-version-check", "--root-user-action=ignore"]
    if subprocess.run([*command, "--target", site, "-r", NEEDS], stdout=sys.stderr).returncode:
        sys.exit("libraries: could not install what needs.txt lists")
    os.makedirs(os.path.dirname(home), exist_ok=True)
    os.rename(site, home)


def main():
    if fetch.TAG != "cp311":
        sys.exit(f"libraries: needs.txt is for CPython 3.11, not {fetch.TAG}")
    cache = fetch.cache_folder()
    with open(NEEDS, encoding="utf-8") as file:
        name = f"libraries-{fetch.TAG}-{fetch.digest(file.read())}"
    home = os.path.join(cache, name, "site-packages")
    if not os.path.isdir(home):
        with open(os.path.join(cache, "lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            scratch = tempfile.mkdtemp(dir=cache)
            try:
                if not os.path.isdir(home):
                    install(home, scratch)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    print(home)


if __name__ == "__main__":
    main()
