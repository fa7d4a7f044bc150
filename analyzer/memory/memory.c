/* SPDX-License-Identifier: MIT */
#include "analyzer/memory/memory.h"

static bool failed;

void memory_note(void)
{
	__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
}

bool memory_failed(void)
{
	return __atomic_load_n(&failed, __ATOMIC_RELAXED);
}
