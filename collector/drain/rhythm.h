/* SPDX-License-Identifier: MIT */
/*
 * When the next look is due: as often as asked for, less often when looking costs more than a
 * share of a processor, and never twice after the same pause, so that a program's own rhythm is not
 * met at the same point again and again. The mean is what was asked for.
 *
 * The share is RHYTHM_SHARE in the first RHYTHM_FIRST_NS and RHYTHM_LATER_SHARE from then on: what
 * some thousand looks say gets better by the root of their number only.
 *
 * What was not spent while there was nothing to see, as while a program loads its packages, is
 * kept for RHYTHM_KEPT_NS and spent first: a short run gets as many samples as a long one.
 *
 * Plain values, no clock of its own: times come from the caller. One user.
 */
#ifndef COLLECTOR_DRAIN_RHYTHM_H
#define COLLECTOR_DRAIN_RHYTHM_H

#include <stdint.h>

#define RHYTHM_NEVER       UINT64_MAX
#define RHYTHM_SHARE       250u /* one in so many nanoseconds may be spent on looking */
#define RHYTHM_LATER_SHARE 500u
#define RHYTHM_FIRST_NS    30000000000ull
#define RHYTHM_KEPT_NS     10000000000ull

struct rhythm {
	uint64_t pause_ns; /* that was asked for, 0: never */
	uint64_t cost_ns;  /* of a look, as a moving mean; 0: not known */
	int64_t left_ns;   /* that may still be spent; below 0: what was spent too much */
	uint64_t first_ns; /* of the first look */
	uint64_t last_ns;  /* of the last look, 0: there was none */
	uint64_t due_ns;   /* RHYTHM_NEVER: not at all */
	uint32_t noise;
};

/* hz looks in a second, 0: none. The first is due at once. */
void rhythm_begin(struct rhythm *rhythm, unsigned hz);

/* A look has ended that took cost_ns. */
void rhythm_next(struct rhythm *rhythm, uint64_t now_ns, uint64_t cost_ns);

#endif
