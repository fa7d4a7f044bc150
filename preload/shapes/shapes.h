/* SPDX-License-Identifier: MIT */
/*
 * The shapes and types of an operator's inputs as a text: "float32[8, 64], float32[64]", with "-"
 * for what is no tensor in between, "?" for a tensor whose sizes are not plain (symbolic, sparse,
 * nested, of a Python class that answers itself), "(float32[64] x 2)" for a list of tensors. "-"
 * alone: there is none.
 *
 * They are read from where a tensor has them, which PyTorch does not tell: until that is proved by
 * what PyTorch itself says of the same tensors (torch::profiler::impl::inputSizes), only what it
 * has confirmed is told, and nothing is read that the kernel has not checked. What that function
 * allocates is left behind, a few kilobytes in all.
 *
 * Only when asked for (LIBTRACE_SOURCES). Any thread; errno is kept.
 */
#ifndef PRELOAD_SHAPES_H
#define PRELOAD_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/frameworks/frameworks.h"

/* Before the first event; off is the default. */
void shapes_enable(bool on);

/* PyTorch's symbols are known, and its version: before callbacks are asked for. */
void shapes_attach(const char *version);

/* No operators are recorded: why there are none. */
void shapes_refuse(const char *state, const char *reason);

extern bool shapes_wanted __attribute__((visibility("hidden")));

/* A callback for operators is to get their inputs, if they are wanted. */
static inline void shapes_ask(struct torch_callback *callback)
{
	callback->needs_inputs = shapes_wanted;
}

/* Id of the text of an operator that begins; 0: not known. With the guard. */
uint32_t shapes_of(const void *record);

#endif
