/* SPDX-License-Identifier: MIT */
/*
 * Steps of programs that mark none: the launches, copies and waits of a training loop
 * repeat, so the distance at which their sequence equals itself is the length of a step.
 * Calls are told apart by tokens: a hash of what was called, from where. A token that
 * occurs once per period, a wait if there is one, then tells where a step ends.
 *
 * What a program does only now and then (printing every tenth step) is not taken for
 * the step. Pure functions, no state.
 */
#ifndef ANALYZER_PERIOD_H
#define ANALYZER_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#define PERIOD_TOKENS 16384u

/* The lowest bits of a token say how well it marks a step: more is better. */
enum token_rank {
	TOKEN_LAUNCH,
	TOKEN_READ,
	TOKEN_SYNC,
	TOKEN_UPLOAD,
	TOKEN_RANK_MASK = 3
};

struct period {
	uint32_t length; /* in tokens */
	uint64_t anchor; /* ends a step; 0: count length tokens */
	double match;    /* share of tokens that repeat after length, 0 to 1 */
	bool doubtful;   /* one or two kernels in turn: maybe a loop within a step */
};

/* The period of count tokens (at most the last PERIOD_TOKENS are looked at); false: none. */
bool period_find(const uint64_t *tokens, uint32_t count, struct period *ret_period);

#endif
