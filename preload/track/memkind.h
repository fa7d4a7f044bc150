/* SPDX-License-Identifier: MIT */
/*
 * What kind of memory an address is, without asking CUDA: allocations and registrations
 * that the hooks saw are kept by page in a sparse three-level table.
 *
 * An entry stands for 2 MiB and says one kind for all of it, or points to a
 * leaf with one byte per 4 KiB page. A page byte holds a kind and how many
 * allocations touch the page, since small ones share it. Look-ups are a few loads;
 * updates are atomic; nothing is ever freed, so a reader needs no protection.
 * Addresses beyond 47 bits are unknown.
 *
 * Captures run after the real call, so another thread may have been given an address again before
 * its free is noted here: every change carries a time of its call, and an allocation
 * that is younger than a free is not the one that was freed.
 *
 * Any thread, at any time; errno is kept.
 */
#ifndef PRELOAD_MEMKIND_H
#define PRELOAD_MEMKIND_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/record.h"

/*
 * Remember that [address, address + size) is of that kind since when, the end of the call in
 * ticks. NULL or size 0 does nothing.
 */
void memkind_add(const void *address, size_t size, enum memory_kind kind, uint64_t when);

/*
 * Forget the allocation that begins at address and is older than when, the begin of the call in
 * ticks. Returns its kind and fills *ret_size; MEMORY_UNKNOWN and size 0 when there is none.
 */
enum memory_kind memkind_remove(const void *address, uint64_t when, size_t *ret_size);

/* Kind of the memory at address, MEMORY_UNKNOWN when no allocation that was seen holds it. */
enum memory_kind memkind_of(const void *address);

/*
 * Forget all device memory (cudaDeviceReset). Not concurrent with allocations of the same memory.
 */
void memkind_forget_device(void);

#endif
