/* SPDX-License-Identifier: MIT */
/*
 * What rows of numbers need to become cells (the texts behind ids, the devices, where time
 * begins), and such a cell. Plain data; texts belong to the lookup.
 */
#ifndef ANALYZER_TABLES_SOURCE_H
#define ANALYZER_TABLES_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/read/lookup.h"

struct tables;

struct tables_cell {
	bool known;
	union {
		uint64_t number;
		const char *text; /* of a column of texts */
	};
};

/* A device as the trace describes it; 0 and "": not known. */
struct tables_gpu {
	uint64_t id;
	uint64_t compute_major, compute_minor, multiprocessors, core_khz, memory_bytes;
	uint64_t memory_bytes_per_s, link_bytes_per_s;
	char name[64];
};

/* Rows of a table that are not made from the records of one process, but given as they are. */
struct tables_given {
	const struct tables_cell *cells; /* row by row */
	size_t rows;
};

struct tables_source {
	struct tables_given workers, files, processes, collectives;
	/* the column that rows are sorted by, +: the least first; NULL or not there: as made */
	const char *sort;
	const struct tables *tables;
	const struct lookup *lookup; /* texts as they are to be shown */
	const struct tables_gpu *gpus;
	size_t gpu_count;
	uint64_t begin_ns; /* of the run */
	struct {
		uint64_t steps, of;
	} covered;       /* that have their operators */
	uint64_t steps;  /* that the tables are about; 0: not known */
	uint64_t warmup; /* of these, the first */
};

#endif
