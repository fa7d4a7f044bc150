/* SPDX-License-Identifier: MIT */
/*
 * Functions that the user names (LIBTRACE_PROBE): their calls from one library to another are
 * recorded as operators, with begin, end and the line of the program that called.
 *
 * A call from one library to another goes through a slot of the caller's that the dynamic linker
 * has filled; the slots of a function that is to be seen get the address of a stub
 * (stub_x86_64.S) instead, which calls it. What is called inside its own library, or through a
 * pointer, is not seen.
 */
#ifndef PRELOAD_PROBE_H
#define PRELOAD_PROBE_H

#include <stdbool.h>

/* The whole list can be understood. */
bool probe_is_list(const char *list);

/*
 * From the constructor: list holds LIBRARY:FUNCTION with * and ?, between semicolons; empty:
 * nothing is done, ever.
 */
void probe_begin(const char *list);

/* What was loaded since the last time is looked through. Takes the loader's lock. */
void probe_attach(void);

/* The state, for the description of the run. */
void probe_describe(void);

#endif
