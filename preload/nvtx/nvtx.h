/* SPDX-License-Identifier: MIT */
/*
 * Ranges and marks of NVTX 3, as programs and libraries (NCCL, cuBLAS, PyTorch) make them.
 *
 * NVTX has no library of its own: each module that embeds it opens, at its first
 * use, the library that NVTX_INJECTION64_PATH names, and calls InitializeInjectionNvtx2() in
 * it with its tables, once per module. So the constructor puts our own path there, unless
 * another tool has put its own: then ranges are that tool's. The variable is handed on to
 * children; one that has not preloaded this library opens it for nothing: its constructor notices
 * and does nothing, and InitializeInjectionNvtx2() declines.
 *
 * A range becomes one record when it ends: name, domain, payload (as bits, its type in the
 * flags), category. Not kept: colours, names of categories, threads and resources, and the binary
 * payloads of NVTX's extensions. Domains are told apart up to NVTX_DOMAINS - 2; those
 * beyond share one without a name. Ranges that are open when the process ends, when recording is
 * off at either end, or at a fork, are not recorded. Those that did not fit (stack.h,
 * pairs.h) are counted as ranges_lost.
 *
 * Answers to the program are those of a tool: the level for a push and a pop, from 0 (-1: nothing
 * to pop), a handle for a domain and a text, an id for a start. Any thread; no heap, no lock
 * after a module's first use; errno is kept.
 */
#ifndef PRELOAD_NVTX_H
#define PRELOAD_NVTX_H

#include <stdbool.h>

#include "preload/nvtx/abi.h"

/* The library that a module opens. */
#define NVTX_VARIABLE "NVTX_INJECTION64_PATH"

/*
 * From the constructor only: say the state. set is the value of NVTX_VARIABLE, NULL for none; own:
 * the path of this library, or NULL. Returns what the variable must become for this process and its
 * children, valid for ever, or NULL to leave it.
 */
const char *nvtx_enable(bool on, const char *set, const char *own);

/*
 * Called by each module that embeds NVTX, with its tables; by name, from outside. 1: attached; 0:
 * this tool wants nothing.
 */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(nvtx_get_table *get_table);

#endif
