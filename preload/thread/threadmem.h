/* SPDX-License-Identifier: MIT */
/*
 * Memory that belongs to a thread as long as it lives and to a later thread after that,
 * so that a process which starts a million short threads does not keep a million caches.
 *
 * The owner is noted by process and thread id; a new thread takes over a piece whose
 * owner no longer exists before it maps another. No destructor is registered and nothing is
 * freed. In a forked child the thread keeps its piece; those of the parent's other threads are
 * never taken over. Any thread; no lock, no heap; keeps errno. The first call of a thread
 * costs a system call per piece in use, so keep the result in thread-local storage.
 */
#ifndef PRELOAD_THREADMEM_H
#define PRELOAD_THREADMEM_H

#include <stddef.h>

/* Zero-initialised; one per kind of memory, all of the same size. */
struct threadmem {
	struct threadmem_piece *pieces;
};

/*
 * A piece of size bytes for the calling thread: zeroed, or as its previous owner left it. NULL
 * when memory is out.
 */
void *threadmem_take(struct threadmem *pool, size_t size);

#endif
