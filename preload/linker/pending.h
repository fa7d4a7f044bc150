/* SPDX-License-Identifier: MIT */
/*
 * Is a dlopen in progress on this thread? The interposed dlopen is a tail jump, so nothing runs
 * when it returns; what is known is the stack pointer and the return address at each entry.
 *
 * An entry has returned when the stack has shrunk to its entry or above: a loader's
 * constructor can only run below it. An entry that is still above the current stack
 * pointer is in progress as long as its return address is in its place on the stack, else
 * other calls have used the place since. The rest errs on the side of "in progress",
 * which only delays what waits for a safe moment.
 *
 * State of the calling thread, and by elsewhere.h of others; no lock, no allocation, errno is kept.
 */
#ifndef PRELOAD_PENDING_H
#define PRELOAD_PENDING_H

#include <stdbool.h>
#include <stdint.h>

/* A dlopen begins: frame is where its return address lies. */
void pending_begin(const uintptr_t *frame);

/*
 * True when no dlopen of this thread is in progress, seen from a function whose frame begins at
 * frame.
 */
bool pending_none(const uintptr_t *frame);

/* And none of another thread is, which may wait for this one. */
bool pending_nowhere(const uintptr_t *frame);

#endif
