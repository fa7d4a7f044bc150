/* SPDX-License-Identifier: MIT */
/*
 * Which steps have operators when recording them may cost only so much: the first, then bursts of
 * a few steps at distances drawn by chance, so that no rhythm of the program meets theirs. A slow
 * step among the others brings the next burst forward. What a step with operators costs more is
 * measured by comparing each burst with the steps before it: that sees what a framework does in
 * order to call us, too, and sees nothing where the host is not what steps wait for.
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
#define BUDGET_RATIOS 16u /* bursts that are remembered */

struct budget {
	double share; /* of the time, that recording may take */
	uint64_t seed;
	uint64_t steps;
	bool on, fresh; /* the running step has operators; it is the first one after a change */
	bool slow;      /* the last burst came because a step was slow */
	uint64_t left;  /* steps until the next change */
	uint64_t owed;  /* by which a burst came earlier: the next one comes later */
	struct budget_steps {
		uint64_t ticks[BUDGET_BEFORE], count; /* the last ones, of so many */
	} before, burst;
	double ratios[BUDGET_RATIOS];
	uint64_t ratio_count;
	uint64_t plain_ticks,
		plain_hooks; /* all steps without operators; what calls took in them */
};

/*
 * "off" (0) or "3%", with one digit behind the point at most, as per mille. False, and 0: it is
 * neither.
 */
bool budget_parse(const char *text, uint32_t *ret_permille);

/* Step 0 begins. share: 0.03 is 3 %. */
void budget_begin(struct budget *budget, double share, uint64_t seed);

/*
 * A step has ended which took so many ticks, of which recording calls took hooks. Whether the next
 * one is to have operators.
 */
bool budget_step(struct budget *budget, uint64_t ticks, uint64_t hooks);

/* By so much a step with operators is longer, as measured so far; below 0: not known. */
double budget_cost(const struct budget *budget);

#endif
