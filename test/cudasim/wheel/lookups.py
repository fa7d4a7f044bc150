# SPDX-License-Identifier: MIT
"""What vendor libraries a package needs that opens them itself and looks their functions up by name.

JAX's and TensorFlow's CUDA wheels do so: no vendor library is in their DT_NEEDED, the names of all
functions that may be looked up are strings in theirs; ONNX Runtime does so for cuDNN and cuFFT alone.
SONAMEs are composed from a version there, so they are listed here, by CUDA's major version."""
import glob
import mmap
import os
import re
import sys

# Prefix of a function -> its library, the first match counts.
OWNERS = {
    12: (("cublasLt", "libcublasLt.so.12"), ("cublas", "libcublas.so.12"), ("cudnn", "libcudnn.so.9"),
         ("cufft", "libcufft.so.11"), ("cusolver", "libcusolver.so.11"), ("cusparse", "libcusparse.so.12"),
         ("nccl", "libnccl.so.2"), ("nvrtc", "libnvrtc.so.12"), ("cupti", "libcupti.so.12"),
         ("nvml", "libnvidia-ml.so.1"), ("__cuda", "libcudart.so.12"), ("cuda", "libcudart.so.12"),
         ("cu", "libcuda.so.1")),
    13: (("cublasLt", "libcublasLt.so.13"), ("cublas", "libcublas.so.13"), ("cudnn", "libcudnn.so.9"),
         ("cufft", "libcufft.so.12"), ("curand", "libcurand.so.10"), ("cupti", "libcupti.so.13"),
         ("__cuda", "libcudart.so.13"), ("cuda", "libcudart.so.13"), ("cu", "libcuda.so.1")),
}
# Where such packages keep what looks up, below site-packages.
PLACES = {12: ("jax_plugins/xla_cuda12/*.so", "jax_cuda12_plugin/*.so", "tensorflow/libtensorflow_*.so.2"),
          13: ("onnxruntime/capi/libonnxruntime_providers_cuda.so",)}


def first_of(folders, place):
    """What Python would find: another package of this name may lie behind it."""
    return next(filter(None, (glob.glob(os.path.join(folder, place)) for folder in folders)), [])


def libraries(folders):
    """(CUDA's major version, files) of the packages in some of site-packages' like."""
    for major, places in PLACES.items():
        files = [path for place in places for path in first_of(folders, place)]
        if files:
            return major, sorted(files)
    sys.exit(f"cudasim: no CUDA libraries of JAX, TensorFlow or ONNX Runtime are in {' '.join(folders)}")


def wanted(major, files):
    """SONAME -> {symbol: (is data, size)}, and no version nodes: nothing is linked."""
    owners = OWNERS[major]
    prefixes = "|".join(prefix for prefix, _ in owners)
    name = re.compile(rf"(?<=\0)({prefixes})[A-Z]\w+(?=\0)".encode())
    symbols = {soname: {} for _, soname in owners}
    for path in files:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for match in name.finditer(data):
                symbols[dict(owners)[match.group(1).decode()]][match.group().decode()] = (False, 0)
    return symbols, {}
