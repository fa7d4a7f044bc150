/* SPDX-License-Identifier: MIT */
/*
 * The CUDA runtimes of a process, and which of them a call belongs to when there are several.
 *
 * Usually there is one, and nothing here is on the way of a call. When a second major is found,
 * real.c lets every row lead to a stub of this file: it finds the library of
 * the return address, and in its list of needed libraries the runtime that it was linked
 * with; answers are kept by address. A library that needs none gets the runtime that was
 * found first. Runtimes are never closed again.
 *
 * Finding runtimes is done under the loader's lock only by its own calls; all else is lock-free.
 */
#ifndef PRELOAD_ROUTE_H
#define PRELOAD_ROUTE_H

#include "preload/calls/calls.h"

/* Look for runtimes by their SONAMEs; returns how many are known now. Keeps errno. */
int route_find_runtimes(void);

/* How many are known. */
int route_count(void);

/* Major of the runtime that was found first, 0: none. */
int route_major(void);

/* File of the runtime that was found first, NULL: none. */
const char *route_path(void);

/* Handle of the runtime that was found first, NULL: none. Not to be closed. */
void *route_handle(void);

/* Address of a function in the runtime that was found first, NULL when it has none. */
void *route_lookup(const char *name);

/*
 * Note where every runtime has the row id; what one lacks is absent there. Returns the stub that
 * chooses, or NULL when none has it.
 */
void *route_add(enum hook_id id, void *absent);

/* The first runtime's function of a row whose pointer is current: itself unless it is routed. */
void *route_first(enum hook_id id, void *current);

#endif
