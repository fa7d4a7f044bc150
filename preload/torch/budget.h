/* SPDX-License-Identifier: MIT */
/*
 * Which steps have operators when recording them may cost only so much: the first, then bursts of
 * a few steps at distances drawn by chance, so that no rhythm of the program meets theirs. A slow
 * step among the others brings the next burst forward. What a step with operators costs more is
 * measured by comparing each burst with the steps before it: that sees what a framework does in
 * order to call us, too, and sees nothing where the host is not what steps wait for. Where others
 * have the processors, too, times say little, and the more they scatter the more is believed of
 * what the processor worked instead. What is left of a burst in the steps behind it counts as well.
 * An account is kept: what the first steps took beyond the share is paid back by later ones.
 *
 * Pure; times are ticks. One thread at a time.
 */
#ifndef PRELOAD_TORCH_BUDGET_H
#define PRELOAD_TORCH_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_FIRST  48u /* steps, so that a step of the program is known */
#define BUDGET_BURST  4u  /* steps */
#define BUDGET_BEFORE 9u  /* steps that are compared, at most */
#define BUDGET_BEHIND 5u  /* steps in which something of a burst may be left, at most */
#define BUDGET_RATIOS 16u /* bursts that are remembered */

struct budget {
	double share; /* of the time, that recording may take */
	uint64_t seed;
	uint64_t steps, with; /* all, and those that had operators */
	bool on, fresh; /* the running step has operators; it is the first one after a change */
	bool slow;      /* the last burst came because a step was slow */
	uint64_t left;  /* steps until the next change */
	uint64_t owed;  /* by which a burst came earlier: the next one comes later */
	uint64_t behind_left; /* so many of the steps behind a burst are to come */
	/* what steps took: ticks, and nanoseconds of processors */
	struct budget_times {
		struct budget_steps {
			uint64_t took[BUDGET_BEFORE], count; /* the last ones, of so many */
			uint64_t first; /* in front of them: it has the change itself in it */
		} before, burst;
	} time, cpu;
	struct budget_steps behind; /* a burst, ticks */
	uint64_t plain;             /* what those before usually take */
	uint64_t looked;            /* so many there were by then */
	struct budget_ratios {
		double ratios[BUDGET_RATIOS]; /* of bursts to the steps before them */
		uint64_t count;
	} by_time, by_cpu;
	struct budget_ratios left_behind; /* by which the steps behind are longer, of the same */
	double cost;                      /* as budget_cost() has it */
	/* of late, without operators: steps, and what calls took of these */
	uint64_t plain_steps, plain_hooks;
	double debt; /* spent beyond the share so far, in steps without operators */
};

/*
 * "off" (0) or "3%", with one digit behind the point at most, as per mille. False, and nothing is
 * stored: it is neither.
 */
bool budget_parse(const char *text, uint32_t *ret_permille);

/* Step 0 begins. share: 0.03 is 3 %. */
void budget_begin(struct budget *budget, double share, uint64_t seed);

/*
 * A step has ended which took so many ticks, of which recording calls took hooks, and nanoseconds
 * of processors, 0: not known. Whether the next one is to have operators.
 */
bool budget_step(struct budget *budget, uint64_t ticks, uint64_t cpu_ns, uint64_t hooks);

/* Whether the running step is one of those that are compared, so that cpu_ns is of use. */
bool budget_compares(const struct budget *budget);

/* By so much a step with operators is longer, as measured so far; below 0: not known. */
double budget_cost(const struct budget *budget);

#endif
