/* SPDX-License-Identifier: MIT */
#include "preload/track/context.h"

#include "collector/base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBES 16u

/* device: plus 1, 0 when it is not known. */
static struct entry {
	const void *context;
	uint32_t device;
} entries[CONTEXT_LIMIT];

/* The entry of context, made when make is set; NULL when it is not there. */
static struct entry *find(const void *context, bool make)
{
	unsigned start = hash_pointer_bits(context, CONTEXT_BITS);
	for (unsigned i = 0; context != NULL && i < PROBES; i++) {
		struct entry *entry = &entries[(start + i) % CONTEXT_LIMIT];
		const void *seen = __atomic_load_n(&entry->context, __ATOMIC_ACQUIRE);
		if (seen == NULL && make &&
			__atomic_compare_exchange_n(&entry->context, &seen, context, false,
				__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return entry;
		if (seen == context)
			return entry;
		if (seen == NULL)
			return NULL;
	}
	return NULL;
}

void context_remember(const void *context, int device)
{
	struct entry *entry = find(context, true);
	if (entry != NULL)
		__atomic_store_n(&entry->device, (uint32_t)device + 1, __ATOMIC_RELEASE);
}

void context_forget(const void *context)
{
	struct entry *entry = find(context, false);
	if (entry != NULL)
		__atomic_store_n(&entry->device, 0, __ATOMIC_RELEASE);
}

int context_device(const void *context)
{
	const struct entry *entry = find(context, false);
	return entry == NULL ? -1 : (int)__atomic_load_n(&entry->device, __ATOMIC_ACQUIRE) - 1;
}
