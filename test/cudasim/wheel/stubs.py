#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make the folder of vendor libraries that an installed PyTorch CUDA wheel needs.

usage: stubs.py ENVIRONMENT BUILD OUTPUT
       stubs.py --packages PATH BUILD OUTPUT    for JAX, TensorFlow or ONNX Runtime in a folder of PATH

Every vendor SONAME that the wheel needs becomes one shared library: stand-in objects where there
are some (BUILD/obj/...), and a refusing stub for each remaining symbol.  What is needed is read
from the wheel's own libraries, so that a new release needs no new list.  Prints nothing when
OUTPUT is up to date; safe to run twice at once.
"""
import fcntl
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import lookups
from elf import Elf

HERE = os.path.dirname(os.path.abspath(__file__))
VENDOR = re.compile(r"lib(cu[a-zA-Z]*|nccl|nvrtc|nvshmem_host|nvJitLink|nvToolsExt|nvtx\w*)\.so[.\d]*$")
FUNCTION, OBJECT = 2, 1

# Unversioned symbols: whose they are, by their beginning; the first match counts.
PREFIXES = (("cusparseLt", "libcusparseLt.so"), ("cuFile", "libcufile.so"), ("nccl", "libnccl.so"),
            ("nvshmem", "libnvshmem_host.so"), ("nvrtc", "libnvrtc.so"), ("cu", "libcuda.so"))

# What each library calls "not supported".
REFUSALS = {"libcudart": 801, "libcuda": 801, "libcupti": 27, "libcublas": 15, "libcublasLt": 15,
            "libcudnn": 3000, "libcusolver": 9, "libcusparse": 10, "libcusparseLt": 10,
            "libcufft": 16, "libcurand": 204, "libnccl": 5, "libnvshmem_host": 7,
            "libcufile": 5011, "libnvrtc": 11, "libnvidia-ml": 3}

# Stand-in objects of a library, below BUILD/obj; the ones with {} are built for each CUDA major.
STAND_INS = {"libcudart": ("{}/libcudart.o",), "libcuda": ("{}/libcuda.o",),
             "libcupti": ("{}/libcupti.o",), "libcublas": ("{}/libcublas.o",),
             "libcublasLt": ("{}/libcublasLt.o",), "libcudnn": ("{}/libcudnn.o",),
             "libnccl": ("{}/libnccl.o",), "libcufft": ("{}/libcufft.o",),
             "libcusolver": ("{}/libcusolver.o",), "libcusparse": ("{}/libcusparse.o",),
             "libnvidia-ml": ("{}/libnvidia-ml.o",)}


def stem(soname):
    return soname.split(".so")[0]


def torch_of(environment):
    found = glob.glob(os.path.join(environment, "lib/python*/site-packages/torch"))
    if not found:
        sys.exit(f"cudasim: no torch in {environment}")
    return found[0]


def torch_libraries(torch):
    return sorted(glob.glob(torch + "/lib/*.so*") + glob.glob(torch + "/_C*.so"))


def wanted(libraries):
    """SONAME -> {symbol: (is data, size)}, and SONAME -> version node."""
    needed, defined, undefined, nodes = set(), set(), {}, {}
    for path in libraries:
        elf = Elf(path)
        needed.update(name for name in elf.needed() if VENDOR.match(name))
        for name, kind, here, version, size in elf.symbols():
            if here:
                defined.add(name)
            elif name:
                undefined[name] = (version or undefined.get(name, (None,))[0], kind, size)
    symbols = {soname: {} for soname in needed}
    for name, (version, kind, size) in undefined.items():
        owner = version[1] if version else owner_of(name, needed)
        if owner in symbols and name not in defined:
            symbols[owner][name] = (kind == OBJECT, size)
            if version:
                nodes[owner] = version[0]
    return symbols, nodes


def owner_of(name, needed):
    for prefix, library in PREFIXES:
        if name.startswith(prefix) and (prefix != "cu" or re.match("cu[A-Z]", name)):
            return next((soname for soname in needed if soname.startswith(library)), None)
    return None


def supplied(objects):
    """Names that stand-in objects define for others."""
    names = set()
    for path in objects:
        names.update(name for name, kind, here, _, _ in Elf(path).symbols(".symtab") if here)
    return names


def write_source(path, soname, symbols, have):
    texts = ("cudnn", "cusparse", "cusolver", "nvrtc", "nccl", "cublas")
    with open(path, "w", encoding="utf-8") as file:
        refused = REFUSALS.get(stem(soname), 1)
        file.write(f'#define LIBRARY "{soname}"\n#define REFUSED {refused}\n')
        file.write(f'#include "{HERE}/stub.h"\n')
        for name, (is_data, size) in sorted(symbols.items()):
            if name in have:
                continue
            if is_data:
                file.write(f"STUB_DATA({name}, {max(size, 4096)})\n")
            elif name.endswith("String") and name.startswith(texts):
                file.write(f"STUB_TEXT({name})\n")
            else:
                file.write(f"STUB({name})\n")


def make_library(folder, soname, symbols, node, objects):
    source = os.path.join(folder, stem(soname) + ".c")
    write_source(source, soname, symbols, supplied(objects))
    command = [os.environ.get("CC", "gcc"), "-shared", "-fPIC", "-O1", "-w", "-fvisibility=hidden",
               "-Wl,-soname," + soname, "-Wl,-Bsymbolic", "-o", os.path.join(folder, soname)]
    if node:
        version_map = os.path.join(folder, stem(soname) + ".map")
        with open(version_map, "w", encoding="utf-8") as file:
            file.write(f"{node} {{ global: *; }};\n")
        command.append("-Wl,--version-script=" + version_map)
    command += [source, *objects, "-Wl,-z,defs", "-lpthread", "-ldl", "-lm"]
    if subprocess.run(command).returncode:
        sys.exit(f"cudasim: could not link {soname}")


def major_of(symbols):
    runtime = next((soname for soname in symbols if stem(soname) == "libcudart"), None)
    if not runtime:
        sys.exit("cudasim: this wheel does not use CUDA")
    return runtime.rsplit(".", 1)[1]


def objects_of(soname, build, major):
    names = (name.format(major) for name in STAND_INS.get(stem(soname), ()))
    paths = [os.path.join(build, "obj", name) for name in names]
    return [path for path in paths if os.path.exists(path)]


def fingerprint(libraries, build):
    """Changes with the wheel, this program and every stand-in object."""
    inputs = [os.path.join(HERE, name) for name in ("stubs.py", "stub.h", "elf.py", "lookups.py")]
    inputs += sorted(glob.glob(os.path.join(build, "obj", "1[0-9]", "lib*.o")))
    inputs += sorted(glob.glob(os.path.join(build, "libcudasim_*.so")))
    inputs += [os.path.realpath(path) for path in libraries]
    parts = [f"{path} {os.stat(path).st_mtime_ns} {os.stat(path).st_size}" for path in inputs]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def make_folder(found, build, folder):
    symbols, nodes = found
    major = major_of(symbols)
    for soname in sorted(symbols):
        make_library(folder, soname, symbols[soname], nodes.get(soname),
                     objects_of(soname, build, major))
    for path in glob.glob(os.path.join(build, "libcudasim_*.so")):
        shutil.copy(path, folder)


def make(torch, build, output):
    """Make the folder output of the torch package in a folder, or leave it as it is."""
    libraries = torch_libraries(torch)
    make_once(libraries, lambda: wanted(libraries), build, output)


def make_looked_up(folders, build, output):
    """The same of packages that look functions up by name, beside what they may be linked with."""
    major, libraries = lookups.libraries(folders)

    def both():
        symbols, nodes = wanted(libraries)
        for soname, names in lookups.wanted(major, libraries)[0].items():
            symbols[soname] = names | symbols.get(soname, {})
        return symbols, nodes

    make_once(libraries, both, build, output)


def make_once(libraries, find, build, output):
    stamp, state = os.path.join(output, "stamp"), fingerprint(libraries, build)
    with open(output + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == state:
            return
        folder = tempfile.mkdtemp(prefix="stubs-", dir=os.path.dirname(output))
        try:
            make_folder(find(), build, folder)
            with open(os.path.join(folder, "stamp"), "w", encoding="utf-8") as file:
                file.write(state)
            shutil.rmtree(output, ignore_errors=True)
            os.chmod(folder, 0o755)
            os.rename(folder, output)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "--packages":
        make_looked_up(sys.argv[2].split(":"), sys.argv[3], os.path.abspath(sys.argv[4]))
        sys.exit()
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    make(torch_of(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3]))
