/* SPDX-License-Identifier: MIT */
/*
 * Which PyTorch a loaded libtorch_cpu belongs to, from what lies beside it: version.py in a
 * Python package, build-version in a C++ distribution, else the library's own file name
 * (libtorch_cpu.so.1.13 in Linux distributions). Reads small files; for attaching only.
 */
#ifndef PRELOAD_TORCH_VERSION_H
#define PRELOAD_TORCH_VERSION_H

#include <stddef.h>

/*
 * Fill text with the version ("2.9.1+cu128"), empty if it cannot be told. path is the library's,
 * not NULL.
 */
void torch_version(const char *path, char *text, size_t size);

/* NULL when the layout of callbacks is known for this version, else the reason (static text). */
const char *torch_version_refused(const char *text);

#endif
