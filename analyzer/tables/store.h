/* SPDX-License-Identifier: MIT */
/*
 * All tables as they are filled (tables.c) and read when they are printed (view.c): one set of
 * rows each, the way to the rows that were met last, and the time they cover. Plain data.
 */
#ifndef ANALYZER_TABLES_STORE_H
#define ANALYZER_TABLES_STORE_H

#include "analyzer/links/links.h"
#include "analyzer/names/opname.h"
#include "analyzer/projection/projection.h"
#include "analyzer/read/lookup.h"
#include "analyzer/stages/stages.h"
#include "analyzer/tables/set.h"
#include "analyzer/tables/sums/around.h"
#include "analyzer/tables/sums/nesting.h"
#include "analyzer/tables/sums/trace.h"
#include "collector/base/circle.h"

#define TABLES_RECENT 2048u

struct compiled;
struct pipeline;

/* A stretch of time that has ended, until the device has reported its work. */
struct tables_pending {
	struct tables_row *row;
	struct stage_span span;
	struct tables_row *line; /* that has it, too, as LINES_BACKWARD; NULL: none */
	bool own;                /* what helps the thread is not its own */
	bool widened;            /* as ranges_around() does, once */
	unsigned hist;           /* that gets it alone; 0: those of ranges_count() */
};

/* Calls of modules that have ended: ascending, none inside of another. */
struct modules_thread {
	uint32_t id;
	VEC(struct stage_span) ended;
};

struct tables_modules {
	VEC(struct modules_thread) threads;
};

/* Rows of DISTRIBUTION, for each device. */
enum overview_share {
	SHARE_COMPUTATION,
	SHARE_COMMUNICATION,
	SHARE_OVERLAP, /* both at a time */
	SHARE_EXPOSED, /* communication without computation */
	SHARE_NEITHER, /* collects any kernel, and is the rest of the time */
	SHARE_COUNT
};

/* Work of the device until its operator has ended. */
struct beneath_work {
	uint64_t at_ns, ns;
	uint32_t thread;
	uint32_t kind;   /* of record */
	uint64_t detail; /* name or direction */
};

/* From here on operators are all recorded, or are not. */
struct beneath_turn {
	uint64_t from_ns;
	bool covered;
};

struct tables_beneath {
	struct around around;
	CIRCLE(struct beneath_work) waiting;
	VEC(struct beneath_turn) turns;
};

struct tables {
	struct tables_set sets[TABLES_COUNT];
	uint32_t wanted; /* bit per enum tables_id */
	/* rows of calls and of kernels by name, by the low bits of their numbers; the last ones */
	struct tables_row *recent_calls[TABLES_RECENT], *recent_names[TABLES_RECENT];
	struct tables_row *last_device, *last_stream, *last_thread;
	struct tables_row *overview[OVERVIEW_PARTS]; /* NULL: not met yet */
	struct tables_row *shares[SHARE_COUNT];      /* of the last device; NULL: none */
	uint64_t seen_begin_ns, seen_end_ns;         /* of all that is in OVERVIEW; end 0: none */
	struct lookup lookup;                        /* of places; place NULL: none */
	VEC(struct tables_row *) lines_by_place;     /* NULL: not met yet */
	struct tables_nesting nesting;
	struct tables_modules modules;
	struct tables_beneath beneath;
	struct tables_trace trace;
	struct projection projection;
	struct links links;
	CIRCLE(struct tables_pending) pending;
	struct stages stages;
	uint64_t stages_begin_ns, stages_end_ns; /* of all of them; end 0: none */
	struct opname_cache opnames;
	const struct compiled *regions;  /* NULL: not known */
	const struct pipeline *pipeline; /* the same */
	uint64_t first_ns, last_ns;      /* of all records fed */
	uint64_t span_ns;                /* as tables_span() says */
	uint64_t step;                   /* that calls are of */
	uint32_t thread;                 /* the same */
	int step_err;                    /* of what was told of steps */
	uint64_t devices;                /* records of the device side */
};

#endif
