/* SPDX-License-Identifier: MIT */
/*
 * How many processors this process may run on: what threads are good for. Thread-safe; errno may
 * change.
 */
#ifndef COLLECTOR_BASE_PROCESSORS_H
#define COLLECTOR_BASE_PROCESSORS_H

#include <sched.h>

static inline unsigned processors_allowed(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

#endif
