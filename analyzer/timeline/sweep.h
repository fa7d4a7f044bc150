/* SPDX-License-Identifier: MIT */
/*
 * The exclusive account: what the device did is laid over what the host did, and every
 * nanosecond is given to one cause of cause.def, split at the steps' cuts.
 *
 * Device work wins: computing over communication over copies. Where the device is idle, charge.h
 * says who pays.
 *
 * Stretches are swept in ascending order; each nanosecond once. Device work may be given
 * in any order and long before its stretch is swept. Not thread-safe.
 */
#ifndef ANALYZER_SWEEP_H
#define ANALYZER_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/device/op.h"
#include "analyzer/steps/series.h"
#include "analyzer/steps/steps.h"
#include "analyzer/timeline/charge.h"
#include "analyzer/timeline/intervals.h"

/* Values of the account's series: the causes first, then what the host did. */
enum sweep_value {
	SWEEP_CAUSES = CAUSE_COUNT,
	SWEEP_PIECES = SWEEP_CAUSES,                        /* one per enum piece_kind */
	SWEEP_CERTAIN_NS = SWEEP_PIECES + PIECE_KIND_COUNT, /* device certainly busy */
	SWEEP_EMPTY_NS,                                     /* device certainly idle */
	SWEEP_WAITED_NS,                                    /* host waited for the device */
	SWEEP_MEASURED_NS,      /* in stretches in which the device's times were measured */
	SWEEP_MEASURED_BUSY_NS, /* of that: the device was busy */
	SWEEP_VALUE_COUNT
};

struct sweep {
	struct series account;
	struct spots *spots;
	struct whatif whatif;
	uint64_t whatif_step, whatif_part; /* its first stretches since a step and since any cut */
	uint64_t whatif_rest;              /* and since a tail */
	uint64_t step;                     /* that is being swept */
	uint64_t cuts[STEPS_PENDING];      /* where steps end: not reached yet, ascending */
	uint8_t kinds[STEPS_PENDING];      /* enum step_cut */
	uint32_t more[STEPS_PENDING];      /* steps that end there beside that one */
	uint32_t cut_count;
	uint64_t at_ns; /* everything before is done */
	uint64_t busy_until[DEVICE_CLASS_COUNT];
	uint32_t copy_spot;
	struct lead lead; /* that waits have cost, not yet charged */
	struct code code; /* that the host runs meanwhile, by samples */
	struct gaps gaps;
	bool alone;                 /* there is no device at all */
	struct intervals intervals; /* device work */
	const struct steps *steps;  /* which steps are wanted */
	const struct watch *watch;  /* NULL: nobody looks */
};

/* Time begins at 0 (at_ns). lookup must outlive the sweep. 0 or -ENOMEM. */
int sweep_init(struct sweep *sweep, struct spots *spots, const struct lookup *lookup,
	const struct steps *steps);
void sweep_release(struct sweep *sweep);

/* Forget all figures and cuts, not the time that has been reached. */
void sweep_restart(struct sweep *sweep);

/*
 * A step ends at ns, or what the cut says; not before what has been swept. False when too many are
 * pending.
 */
bool sweep_cut(struct sweep *sweep, uint64_t ns, enum step_cut cut);

/* The newest cut ends so many more steps, of which the trace has nothing. */
void sweep_cut_more(struct sweep *sweep, uint64_t steps);

/* The device works from begin to end. 0 or -ENOMEM. */
static inline int sweep_device(
	struct sweep *sweep, enum device_class class, uint64_t begin, uint64_t end, uint32_t spot)
{
	return intervals_put(&sweep->intervals, begin, end, class, spot);
}

/* How a stretch ended. */
struct sweep_end {
	uint64_t to_ns;
	uint64_t wait_begin_ns; /* equal to to_ns: no wait */
	uint64_t spare_ns;      /* a wait without waiting takes that long */
	uint32_t spot;
	uint8_t aside;     /* enum piece_kind: the call is for something else, and its time that */
	bool exact;        /* the device kept the host waiting */
	bool foreign;      /* a host whose time is not accounted */
	uint64_t empty_ns; /* the device was certainly idle until then; 0: unknown */
	bool measured;     /* the device's work in it was reported by the device */
};

/* Account for the time up to end->to_ns. The caller drops the host's pieces up to there. */
void sweep_run(struct sweep *sweep, const struct host *host, const struct sweep_end *end);

/* Cuts that are still pending have no time left to account for. */
void sweep_finish(struct sweep *sweep);

#endif
