/* SPDX-License-Identifier: MIT */
/*
 * Which steps were recorded without the operators of the framework: a recorder that keeps to a
 * budget records them in bursts of whole steps. Pure, on numbers; an all-zero struct has them all.
 */
#ifndef ANALYZER_STEPS_BARE_H
#define ANALYZER_STEPS_BARE_H

#include <stdbool.h>
#include <stdint.h>

struct bare {
	bool now, step; /* operators are not recorded; were not in a part of the running step */
	uint64_t covered, steps; /* wanted steps that have ended: those with operators, all */
	uint64_t calls, known;   /* in steps without: all, those whose operators are carried over */
	uint32_t
		cost; /* per mille by which a step with operators is longer, plus 1; 0: not known */
};

/*
 * Operators are recorded from here on, or are not; begun: the running step has calls already. A
 * change comes right behind the end of a step, so a step that has none is as the change says.
 */
void bare_turn(struct bare *bare, bool operators, bool begun);

/* A step ends, which is wanted or not. Whether it has all its operators. */
bool bare_end(struct bare *bare, bool wanted);

/* Steps for each one that has its operators: 1 when all have, or none has. */
double bare_factor(const struct bare *bare);

#endif
