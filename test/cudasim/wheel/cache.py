# SPDX-License-Identifier: MIT
"""Where files are kept that take long to make: wheels, and libraries linked for one of them."""
import os
import sys
import tempfile

WANTED = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "libtrace")
FALLBACK = os.path.join(tempfile.gettempdir(), f"libtrace-cache-{os.getuid()}")


def say(text):
    print(f"cudasim: {text}", file=sys.stderr, flush=True)


def writable(folder):
    """Whether a folder can be made and written to; one that another user made is not ours."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return os.stat(folder).st_uid == os.getuid()
    except OSError:
        return False


def cache_folder():
    if writable(WANTED):
        return WANTED
    if not writable(FALLBACK):
        sys.exit(f"cudasim: neither {WANTED} nor {FALLBACK} can be written: name a folder in XDG_CACHE_HOME")
    say(f"{WANTED} cannot be written; what is downloaded is kept in {FALLBACK}")
    return FALLBACK
