/* SPDX-License-Identifier: MIT */
/*
 * PyTorch operators, DataLoader and optimiser ranges, autograd functions and user
 * ranges, through at::addGlobalCallback of the libtorch_cpu that the process has
 * loaded. No header of PyTorch is needed: the argument's layout is the same from 1.13 on
 * and is checked by its symbols and by the first callback. Attached once, only when no
 * dlopen is in progress on the thread, because before that libtorch is not initialised.
 */
#ifndef PRELOAD_TORCH_H
#define PRELOAD_TORCH_H

#include <stdbool.h>

/* Attach if libtorch_cpu is loaded, ready and not yet attached; cheap otherwise. */
void torch_attach(void);

/* By the drain thread, when it begins: where operators are not recorded, they cost little then. */
void torch_spare(void);

/* What recording operators may cost, in per mille; 0: whatever it does. */
void torch_budget(unsigned permille);

/* Operators with the shapes of their inputs; before torch_enable(). Off is the default. */
void torch_shapes(bool on);

/* Switch on or off (LIBTRACE_SOURCES); on is the default. */
void torch_enable(bool on);

#endif
