/* SPDX-License-Identifier: MIT */
/*
 * Where in the program a hooked call came from: the Python line when the thread has one,
 * else the native return address. Addresses are kept in one table for the process that
 * only grows, so a known one costs a few loads; turning them into module and function is
 * the drain thread's work (collector/write/symbols.h).
 *
 * Any thread; nothing is allocated, no lock is taken, errno is kept.
 */
#ifndef PRELOAD_CALLSITE_H
#define PRELOAD_CALLSITE_H

#include "collector/base/hash.h"
#include "collector/own/linkage.h"
#include "preload/python/python.h"
#include "preload/thread/thread.h"

#include <stdint.h>

#define CALLSITE_BITS  13
#define CALLSITE_COUNT (1u << CALLSITE_BITS)

/* Filled once by the thread that has claimed it; address comes last. */
struct callsite {
	const void *address;
	uint32_t place;
	uint32_t claimed;
};
extern struct callsite callsites[CALLSITE_COUNT] __attribute__((visibility("hidden")));

static inline unsigned callsite_slot(const void *address)
{
	return hash_address_bits(address, CALLSITE_BITS);
}

/*
 * Id of the native place of a return address that is not where it is looked for first. NULL
 * gives 0.
 */
uint32_t callsite_native(const void *address);

/* Id of the place of a call that returns to address; 0 when there is no room for another. */
static inline uint32_t callsite_place(const void *address)
{
	uint32_t place = python_place();
	if (place != 0) {
		thread_state.place = place;
		return place;
	}
	const struct callsite *site = &callsites[callsite_slot(address)];
	__asm__("" : "+r"(site)); /* else its address is made up twice */
	if (__builtin_expect(LINKAGE_PEEK(site->address) == address, 1)) {
		LINKAGE_SEEN();
		return site->place;
	}
	return callsite_native(address);
}

#endif
