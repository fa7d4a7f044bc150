/* SPDX-License-Identifier: MIT */
/*
 * JAX's compiled functions, each call an operator with its line: jaxlib asks the interpreter for a
 * type of such objects, and we are asked instead (its slot for PyType_FromSpec is ours). What runs
 * inside a compiled function is not seen on the processor: jaxlib exports nothing of it.
 */
#ifndef PRELOAD_JAX_H
#define PRELOAD_JAX_H

#include <stdbool.h>

/* Say whether it is there and known, if libraries were loaded since; cheap otherwise. */
void jax_attach(void);

/* Switch on or off (LIBTRACE_SOURCES); on is the default. */
void jax_enable(bool on);

#endif
