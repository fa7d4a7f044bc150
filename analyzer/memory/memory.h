/* SPDX-License-Identifier: MIT */
/*
 * Whether memory has run out. Many places go on without what they could not allocate, and what they
 * print is then not all of it: a command during which any allocation failed does not end well,
 * whoever has gone on. The program notes its own (main.c); libraries that keep silent about theirs
 * are noted where they are called. Any thread.
 */
#ifndef ANALYZER_MEMORY_H
#define ANALYZER_MEMORY_H

#include <stdbool.h>

void memory_note(void); /* an allocation has failed */
bool memory_failed(void);

#endif
