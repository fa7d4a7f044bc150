/* SPDX-License-Identifier: MIT */
#include "analyzer/ranks/identity.h"

#include "collector/base/hash.h"

uint64_t identity_host(const struct meta_RUN *run)
{
	return hash_text(0, run != NULL ? run->host : NULL);
}

uint64_t identity_of(const struct meta_RUN *run, uint64_t pid)
{
	if (run == NULL)
		return IDENTITY_NONE;
	uint64_t space = hash_text(identity_host(run), run->run_id);
	return (space ^ space >> 32) << 32 | (pid & UINT32_MAX);
}
