/* SPDX-License-Identifier: MIT */
/*
 * Calls of modules (torch.nn.Module) as ranges, named by the way to them from the outermost one:
 * "Net.layers.0.conv1", with the class as the domain.
 *
 * Module.__call__ is a function of Python's; the field of its object that says how it is called is
 * set to one of ours, which calls the one that was there. So the program, its classes and hooks are
 * as they were, and nothing is traced that is compiled. A class that overrides __call__ and calls
 * super().__call__ may go past us before Python 3.12.
 *
 * Done once torch.nn is there, by the main thread between two instructions of its Python code.
 * Only when asked for (LIBTRACE_SOURCES). errno is kept, and no exception is left behind.
 */
#ifndef PRELOAD_TORCH_MODULES_H
#define PRELOAD_TORCH_MODULES_H

#include <stdbool.h>

/* Before the first event; off is the default. */
void modules_enable(bool on);

/* PyTorch is attached: find the interpreter. Not in a hot hook. */
void modules_attach(void);

/* Now and then, until modules are seen: something has happened in PyTorch. With the guard taken. */
void modules_look(void);

/* In the child of a fork: what is open began in the parent. */
void modules_after_fork(void);

#endif
