/* SPDX-License-Identifier: MIT */
/*
 * Functions that were compiled as a whole: which of them ends a step (vote.h), and what a wait for
 * results waits for, as they may only begin their work when they are called. That is what was
 * called since the wait before. The program's own say more than those that a library calls for it,
 * to look up an element or to convert a number. Pure; an all-zero struct has seen nothing.
 */
#ifndef ANALYZER_STEPS_RESULTS_H
#define ANALYZER_STEPS_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/steps/vote.h"

struct results {
	struct vote votes[2]; /* on functions that a library calls, that the program itself does */
	uint32_t name;        /* of the first one that is waited for; 0: none was called */
	bool own;             /* the program calls it, and no library does */
	bool several;         /* others are waited for, too, that count as much */
	bool waited;          /* for these: what is called next begins anew */
};

/* A compiled function of that name was called. */
void results_call(struct results *results, uint32_t name, bool own);

/* They are waited for: the name of what is, 0 if it is more than one or unknown. */
uint32_t results_wait(struct results *results);

#endif
