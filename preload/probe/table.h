/* SPDX-License-Identifier: MIT */
/*
 * The functions that are traced. Number n belongs to the stub n for ever, so that a slot that still
 * leads to it is always right. One thread adds (the one that attaches), any reads.
 */
#ifndef PRELOAD_PROBE_TABLE_H
#define PRELOAD_PROBE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define TABLE_LIMIT 4096u /* as many as there are stubs */
#define TABLE_NONE  UINT32_MAX

struct probe {
	const void *target;
	uint32_t name;   /* of the function, as people write it */
	uint32_t symbol; /* hash of its name as compiled; 0: it is no more */
	bool added;      /* since the last restart */
};

extern struct probe table_probes[TABLE_LIMIT];

/* Number of a function, a new one if need be; TABLE_NONE: there is no stub left. */
uint32_t table_add(const void *target, const char *symbol);

/* Number of the function at an address, or TABLE_NONE. */
uint32_t table_find(const void *target);

/* There is a function of that name. */
bool table_has_symbol(const char *symbol);

/*
 * Libraries have gone, and others may lie where they were: between the two calls every function
 * that is still there is added again, and keeps its number; the others are forgotten.
 */
void table_restart(void);
void table_restarted(void);

/* How many there are. */
uint32_t table_count(void);

#endif
