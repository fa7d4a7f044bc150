/* SPDX-License-Identifier: MIT */
#include "preload/callsite.h"

#include "collector/collector.h"
#include "preload/python.h"

#include <errno.h>
#include <string.h>

#define SITE_COUNT 8192u
#define PROBES     8u

/* address 0: free; place 0: claimed, not filled yet. Never changed once filled. */
static struct site {
	const void *address;
	uint32_t place;
} sites[SITE_COUNT];

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
	unsigned first = (unsigned)(((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15ull) >> 51);
	for (unsigned probe = 0; probe < PROBES; probe++) {
		struct site *site = &sites[(first + probe) % SITE_COUNT];
		const void *seen = __atomic_load_n(&site->address, __ATOMIC_RELAXED);
		if (seen == address) {
			uint32_t place = __atomic_load_n(&site->place, __ATOMIC_RELAXED);
			return place != 0 ? place : native_place(address);
		}
		if (seen != NULL)
			continue;
		uint32_t place = native_place(address);
		if (place != 0 && __atomic_compare_exchange_n(&site->address, &seen, address, false,
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			__atomic_store_n(&site->place, place, __ATOMIC_RELAXED);
		return place;
	}
	return native_place(address);
}

uint32_t callsite_place(const void *address)
{
	uint32_t place = python_place();
	return place != 0 ? place : callsite_native(address);
}
