/* SPDX-License-Identifier: MIT */
/*
 * All tables as they are filled (tables.c) and read when they are printed (view.c): one set of
 * rows each, the way to the rows that were met last, and the time they cover. Plain data.
 */
#ifndef ANALYZER_TABLES_STORE_H
#define ANALYZER_TABLES_STORE_H

#include "analyzer/tables/set.h"

#define TABLES_RECENT 2048u

struct tables {
	struct tables_set sets[TABLES_COUNT];
	uint32_t wanted; /* bit per enum tables_id */
	/* rows of calls and of kernels by name, by the low bits of their numbers; the last ones */
	struct tables_row *recent_calls[TABLES_RECENT], *recent_names[TABLES_RECENT];
	struct tables_row *last_device, *last_stream;
	uint64_t first_ns, last_ns; /* of all records fed */
	uint64_t span_ns;           /* as tables_span() says */
	uint64_t devices;           /* records of the device side */
};

#endif
