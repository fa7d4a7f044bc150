/* SPDX-License-Identifier: MIT */
/*
 * Steps and ranges that a program tells: each becomes a record when it ends. caller: where the call
 * came from, if not from Python. Any thread, guard held; no heap, no lock; errno may change.
 */
#ifndef PRELOAD_MARKS_TOLD_H
#define PRELOAD_MARKS_TOLD_H

#include <stdint.h>

/* A training step ends. */
void told_step(const void *caller);

/* A range begins; its id. Its end, on any thread; nothing where there is none of that id. */
uint64_t told_begin(const char *text, const void *caller);
void told_end(uint64_t id);

#endif
