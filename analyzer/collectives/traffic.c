/* SPDX-License-Identifier: MIT */
#include "analyzer/collectives/traffic.h"

/* The call says what one rank has of it. */
static bool has_parts(enum collective_what what)
{
	return what == COLLECTIVE_REDUCE_SCATTER || what == COLLECTIVE_ALL_GATHER ||
	       what == COLLECTIVE_ALL_TO_ALL || what == COLLECTIVE_GATHER ||
	       what == COLLECTIVE_SCATTER;
}

bool traffic_size(enum collective_what what, uint64_t ranks, uint64_t bytes, uint64_t *ret_size)
{
	bool parts = has_parts(what);
	if (parts && (ranks == 0 || bytes > UINT64_MAX / ranks))
		return false;
	*ret_size = parts ? bytes * ranks : bytes;
	return true;
}

bool traffic_bus(enum collective_what what, uint64_t ranks, uint64_t size, uint64_t *ret_bytes)
{
	bool twice = what == COLLECTIVE_ALL_REDUCE;
	if (!twice && !has_parts(what)) {
		*ret_bytes = size;
		return true;
	}
	if (ranks == 0)
		return false;
	__uint128_t bytes = (__uint128_t)size * (twice ? 2 : 1) * (ranks - 1) / ranks;
	*ret_bytes = bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
	return true;
}
