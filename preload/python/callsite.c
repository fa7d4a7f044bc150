/* SPDX-License-Identifier: MIT */
#include "preload/python/callsite.h"

#include "collector/describe.h"

#include <errno.h>
#include <string.h>

#define PROBES 8u

struct callsite callsites[CALLSITE_COUNT];

static uint32_t native_place(const void *address)
{
	struct live_place place;
	int saved = errno;
	memset(&place, 0, sizeof(place));
	place.address = (uint64_t)(uintptr_t)address;
	uint32_t id = collector_place(&place);
	errno = saved;
	return id;
}

uint32_t callsite_native(const void *address)
{
	if (address == NULL)
		return 0;
	unsigned first = callsite_slot(address);
	for (unsigned probe = 0; probe < PROBES; probe++) {
		struct callsite *site = &callsites[(first + probe) % CALLSITE_COUNT];
		const void *seen = __atomic_load_n(&site->address, __ATOMIC_ACQUIRE);
		if (seen == address)
			return site->place;
		if (seen != NULL)
			continue;
		uint32_t place = native_place(address);
		if (place != 0 && __atomic_exchange_n(&site->claimed, 1, __ATOMIC_RELAXED) == 0) {
			site->place = place;
			__atomic_store_n(&site->address, address, __ATOMIC_RELEASE);
		}
		return place;
	}
	return native_place(address);
}
