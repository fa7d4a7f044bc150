/* SPDX-License-Identifier: MIT */
/* How often runs of one program are told from one another, on a machine that is far too busy. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/gate/times.h"
#include "test/unit/analyzer/gate_runs.h"

#define TRIALS 200u
#define SIDE   10u

/* Of any two that follow each other one is of the base, by chance, as of runs made in turn. */
static void draw(const uint64_t *runs, uint64_t *state, uint64_t base[SIDE], uint64_t next[SIDE])
{
	for (unsigned i = 0; i < SIDE; i++) {
		*state = *state * 6364136223846793005u + 1442695040888963407u;
		bool first = *state >> 63;
		base[i] = runs[2 * i + !first];
		next[i] = runs[2 * i + first];
	}
}

/* So many of the trials call the new side slower, after it was made slower by a factor. */
static unsigned count_slower(const uint64_t runs[GATE_RUNS], double factor)
{
	uint64_t state = 1, base[SIDE], next[SIDE];
	unsigned slower = 0;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		draw(runs + trial % (GATE_RUNS - 2 * SIDE + 1), &state, base, next);
		for (unsigned i = 0; i < SIDE; i++)
			next[i] = (uint64_t)((double)next[i] * factor);
		slower += times_judge(base, SIDE, next, SIDE).slower;
	}
	return slower;
}

Test(trials, runs_of_one_program_are_not_told_from_one_another)
{
	for (size_t i = 0; i < sizeof(gate_runs) / sizeof(gate_runs[0]); i++) {
		unsigned slower = count_slower(gate_runs[i].p10_ns, 1);
		cr_assert(le(uint, slower, TRIALS / 100), "%s", gate_runs[i].loop);
	}
}

/* A gate that never fails would pass that, too. */
Test(trials, twice_as_slow_is_seen_where_runs_are_alike)
{
	cr_assert(eq(uint, count_slower(gate_runs[0].p10_ns, 1.1), TRIALS));
	cr_assert(ge(uint, count_slower(gate_runs[1].p10_ns, 2), TRIALS * 8 / 10));
}
