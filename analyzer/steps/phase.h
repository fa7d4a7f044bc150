/* SPDX-License-Identifier: MIT */
/*
 * What a program does between its steps, and no step has part in: how often, for how long, from
 * which line, after which steps. At most PHASE_LIMIT are told apart; the last one takes the rest.
 * Plain data.
 */
#ifndef ANALYZER_STEPS_PHASE_H
#define ANALYZER_STEPS_PHASE_H

#include <stdint.h>

#define PHASE_LIMIT 8u
#define PHASE_STEPS 4u

enum phase {
	PHASE_NONE,
	PHASE_EVALUATION,
	PHASE_CHECKPOINT,
	PHASE_STOPPED, /* the process did not run */
	PHASE_OFF,     /* recording was switched off */
	PHASE_BETWEEN, /* the ranges that the user named as steps */
	PHASE_COUNT
};

struct phase_sum {
	enum phase phase;
	uint32_t place;              /* 0: unknown */
	uint64_t count, ns, last;    /* last: the step after which it came last */
	uint64_t steps[PHASE_STEPS]; /* the first ones after which it came */
};

struct phases {
	struct phase_sum items[PHASE_LIMIT];
	uint32_t count;
};

extern const char *const phase_names[PHASE_COUNT];

/* The index of the phase at a place, for phases_add(). */
uint32_t phases_find(struct phases *phases, enum phase phase, uint32_t place);

/* It took ns, after that many steps. Two that no step parts are one. */
void phases_add(struct phases *phases, uint32_t index, uint64_t step, uint64_t ns);

/* Forget what the program did; when the process stood still or nothing was recorded stays. */
void phases_restart(struct phases *phases);

#endif
