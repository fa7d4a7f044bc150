/* SPDX-License-Identifier: MIT */
/*
 * File, line and function of the calling thread's own Python frames, read without the
 * GIL: while a thread is inside a C call nobody but itself changes its frame chain, and
 * the frames keep their code objects alive. Layouts are tables for CPython 3.8 to 3.12
 * and the interpreter's own offsets from 3.13 on; an interpreter that does not match
 * switches the source off with a reason. Nothing is allocated, no reference is taken, no
 * lock is waited for. Only ever reads the own thread's frames.
 */
#ifndef PRELOAD_PYTHON_H
#define PRELOAD_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/own/linkage.h"

struct owner_numbers;
struct python_layout;

/*
 * Look for a Python interpreter in this process and check its layout; cheap when there is none.
 * Called outside of hot hooks: from the loader's hook and before the first recorded event.
 */
void python_attach(void);

/*
 * Place (collector_place()) of the innermost frame and of the innermost frame outside installed
 * packages. 0 when the thread has no Python frame or the source is off. A cached place costs a few
 * dozen instructions.
 */
typedef uint32_t python_place_function(void);

/* NULL while there is no interpreter whose frames can be read. */
extern python_place_function *python_place_of LINKAGE_HIDDEN;

static inline uint32_t python_place(void)
{
	python_place_function *place_of = __atomic_load_n(&python_place_of, __ATOMIC_ACQUIRE);
	return __builtin_expect(place_of != NULL, 1) ? place_of() : 0;
}

/* The calling thread has another ring than before: whoever samples it is to be told again. */
void python_thread_begins(void);

/*
 * How the interpreter keeps its frames, for the reader of another thread's; NULL with a reason
 * while it is not known or the source is off.
 */
const struct python_layout *python_known_layout(const char **ret_reason);

/*
 * The object whose method is running (owner.h), 0 when that is not known; function NULL: 1 when any
 * function of that file is. Walks some frames: not for every call.
 */
uint64_t python_owner(const char *function, const char *file);

/* Two numbers that a running function was called with (owner.h). Walks frames. */
bool python_numbers(const struct owner_numbers *wanted, uint32_t ret_numbers[2]);

/* Of the functions of a file, the innermost that runs is that one (owner.h). Walks frames. */
bool python_runs(const char *function, const char *file);

/* Switch on or off (LIBTRACE_SOURCES); on is the default. */
void python_enable(bool on);

#endif
