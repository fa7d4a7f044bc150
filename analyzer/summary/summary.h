/* SPDX-License-Identifier: MIT */
/*
 * A run as others can be compared with it, read from its report in JSON. Counts are sums over the
 * counted steps (steps in number), so that total / steps is exact; times are ns. What a report does
 * not say is NULL, SUMMARY_UNKNOWN or SUMMARY_UNKNOWN_PCT.
 *
 * Texts belong to the summary. Not thread-safe.
 */
#ifndef ANALYZER_SUMMARY_H
#define ANALYZER_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/vec.h"

#define SUMMARY_UNKNOWN     UINT64_MAX
#define SUMMARY_UNKNOWN_PCT (-1.0)
#define SUMMARY_PATH        512u
#define SUMMARY_BYTES       (1ull << 30) /* of a report, at most */

enum summary_table {
	SUMMARY_OPERATORS,
	SUMMARY_KERNELS,
	SUMMARY_COPIES,
	SUMMARY_CALLS,
	SUMMARY_TABLE_COUNT
};
extern const char *const summary_table_names[SUMMARY_TABLE_COUNT];

struct summary_place {
	char path[SUMMARY_PATH]; /* below the root, or a name alone; "": unknown */
	bool below;              /* the root */
	uint64_t line;           /* 0: unknown */
	const char *function, *op;
};

struct summary_site {
	const char *kind; /* sync, copy_in, copy_async, alloc, launch */
	struct summary_place place;
	const char *library, *source, *call;
	uint64_t count, bytes, pageable, host_ns;
	uint64_t most_count, most_bytes; /* in one step; 0: not known */
};

struct summary_row {
	char name[160];
	uint64_t count, bytes, host_ns;
	uint64_t device_mean_ns; /* SUMMARY_UNKNOWN */
};
typedef VEC(struct summary_row) summary_rows;

struct summary_total {
	const char *name;
	uint64_t count;
	uint64_t most; /* in one step; 0: not known */
};

struct summary_cause {
	const char *cause;
	uint64_t ns_per_step;
};

struct summary_finding {
	const char *rule, *severity, *text;
	struct summary_place place;
	double calls_per_step, gain_pct; /* SUMMARY_UNKNOWN_PCT */
	uint64_t host_ns, exposed_ns;    /* per step; exposed_ns SUMMARY_UNKNOWN */
};

struct summary_version {
	const char *name, *value;
};

/* In the order of the run's files. */
struct summary_process {
	int64_t rank; /* below 0: it has none */
	uint64_t launches, steps;
};

struct summary {
	void *document;   /* JSON, owns the texts */
	const char *name; /* what the user called it; not owned */
	const char *program, *framework, *directory, *health;
	uint64_t world_size; /* 1: no other rank is known of */
	uint64_t ranks;      /* that are in the trace, of which all this is about one: */
	int64_t rank;        /* below 0: it has none */
	VEC(struct summary_process) processes;
	VEC(struct summary) others; /* further ranks of the run, in order */
	bool whole;                 /* all ranks of the run ought to be here */
	uint64_t unread;            /* files of the run that could not be read */
	uint64_t lost;              /* events that are not in the trace */
	VEC(struct summary_version) versions;
	VEC(const char *) health_reasons;
	const char *verdict, *cause, *confidence, *text;
	double reader_pct, busy_pct, host_pct;
	uint64_t steady, mean_ns, median_ns, p10_ns; /* of the report's steady steps */
	uint64_t steps;                              /* counted ones; 0: nothing was counted */
	VEC(struct summary_total) totals;
	VEC(struct summary_cause) causes;
	VEC(struct summary_finding) findings;
	VEC(struct summary_site) sites;
	summary_rows rows[SUMMARY_TABLE_COUNT];
};

/* What is wrong with a report, for the line that the user sees. */
struct summary_problem {
	char text[256];
};

/*
 * Read a report of size bytes; places are taken below root. 0, -ERR_BAD_VALUE (ret_problem says
 * why) or -ENOMEM. summary_release() after every outcome.
 */
int summary_read(struct summary *summary, const char *name, const char *bytes, size_t size,
	const char *root, struct summary_problem *ret_problem);
void summary_release(struct summary *summary);

/* The ranks of a run: 0 is the run itself, then its others. */
const struct summary *summary_rank(const struct summary *run, size_t index);

/* The value of a version, or NULL. */
const char *summary_version(const struct summary *summary, const char *name);

/* The GPU was a simulated one: the version of this name says by what its times are modelled. */
#define SUMMARY_SIMULATED "simulated"
bool summary_simulated(const struct summary *summary);

#endif
