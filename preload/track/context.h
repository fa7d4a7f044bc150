/* SPDX-License-Identifier: MIT */
/*
 * Which device a context of the driver belongs to.
 *
 * A table of fixed size, filled as the hooks see contexts being made or retained; one that was
 * made where no hook looks, or that has no room, is unknown, and the driver is asked for the
 * device once the context is current. A destroyed context's place is kept for its handle, which
 * the driver may give to another context.
 *
 * Any thread, no lock, no heap.
 */
#ifndef PRELOAD_CONTEXT_H
#define PRELOAD_CONTEXT_H

#define CONTEXT_BITS  8
#define CONTEXT_LIMIT (1u << CONTEXT_BITS)

/* context, which may be NULL, belongs to device, an ordinal from 0. */
void context_remember(const void *context, int device);

/* context is gone. */
void context_forget(const void *context);

/* The device of context, -1 when it is not known. */
int context_device(const void *context);

#endif
