/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/steps/phase.h"

Test(phases, parts_that_no_step_parts_are_one)
{
	struct phases phases = {.count = 0};
	phases_add(&phases, phases_find(&phases, PHASE_EVALUATION, 1), 20, 100);
	phases_add(&phases, phases_find(&phases, PHASE_EVALUATION, 2), 20, 10);
	phases_add(&phases, phases_find(&phases, PHASE_CHECKPOINT, 3), 20, 5);
	phases_add(&phases, phases_find(&phases, PHASE_EVALUATION, 1), 20, 1);
	phases_add(&phases, phases_find(&phases, PHASE_EVALUATION, 2), 40, 7);
	cr_expect(eq(u64, phases.items[0].count, 1));
	cr_expect(eq(u64, phases.items[0].ns, 111));
	cr_expect(eq(u64, phases.items[1].ns, 7));
	cr_expect(eq(u64, phases.items[2].ns, 5));
}
