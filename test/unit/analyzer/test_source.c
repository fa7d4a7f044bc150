/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/device/source.h"

#define START 1000000000ull

Test(source, states)
{
	struct source source = {0};
	cr_assert(source_is_active(&source, START));
	cr_assert(eq(u64, source_state_ns(&source, SOURCE_YIELDED, 100, 500), 0));
	source_set(&source, 300, SOURCE_YIELDED);
	source_set(&source, 200, SOURCE_ACTIVE);
	source_set(&source, 400, SOURCE_ACTIVE);
	source_set(&source, 450, SOURCE_ENDED);
	cr_assert(not(source_is_active(&source, 199)));
	cr_assert(source_is_active(&source, 200));
	cr_assert(not(source_is_active(&source, 300)));
	cr_assert(source_is_active(&source, 449));
	cr_assert(not(source_is_active(&source, 450)));
	cr_assert(eq(u64, source_state_ns(&source, SOURCE_YIELDED, 100, 500), 100));
	cr_assert(eq(u64, source_state_ns(&source, SOURCE_YIELDED, 350, 420), 50));
}

Test(source, covers_what_ends_before_it_stops)
{
	struct source source = {0};
	cr_expect(source_covers(&source, 100, UINT64_MAX));
	source_set(&source, 200, SOURCE_ACTIVE);
	source_set(&source, 300, SOURCE_YIELDED);
	source_set(&source, 400, SOURCE_ACTIVE);
	cr_expect(not(source_covers(&source, 199, 250)));
	cr_expect(source_covers(&source, 200, 299));
	cr_expect(not(source_covers(&source, 200, 300)));
	cr_expect(not(source_covers(&source, 250, 450)));
	cr_expect(not(source_covers(&source, 350, 450)));
	cr_expect(source_covers(&source, 400, UINT64_MAX));
}

Test(source, covers_what_lies_in_the_window)
{
	struct source source = {0};
	source_set_window(&source, 200, 300);
	cr_expect(not(source_is_active(&source, 199)));
	cr_expect(source_is_active(&source, 200));
	cr_expect(source_is_active(&source, 300));
	cr_expect(not(source_is_active(&source, 301)));
	cr_expect(source_covers(&source, 200, 299));
	/* what is cut off there may go on */
	cr_expect(not(source_covers(&source, 200, 300)));
}

/* Ids ascend: what has a lower one than the first call in a state was asked for before it. */
Test(source, precedes_the_first_call_of_its_state)
{
	struct source source = {0};
	cr_expect(not(source_precedes(&source, 250, 1)));
	source_set(&source, 200, SOURCE_ACTIVE);
	cr_expect(not(source_precedes(&source, 250, 1)), "the first one may still be told");
	source_note_call(&source, 260, 60);
	source_note_call(&source, 240, 50);
	source_note_call(&source, 270, 70);
	cr_expect(source_precedes(&source, 250, 49));
	cr_expect(not(source_precedes(&source, 250, 50)));
	source_set(&source, 300, SOURCE_YIELDED);
	source_set(&source, 400, SOURCE_ACTIVE);
	cr_expect(not(source_precedes(&source, 350, 1)));
	cr_expect(source_precedes(&source, 450, 80));
	source_note_call(&source, 410, 90);
	cr_expect(source_precedes(&source, 450, 89));
	cr_expect(not(source_precedes(&source, 450, 90)));
	/* calls of before are still told, and ids begin anew */
	source_note_call(&source, 230, 40);
	cr_expect(not(source_precedes(&source, 250, 40)));
	cr_expect(source_precedes(&source, 450, UINT32_MAX));
}

Test(source, is_resumed_after_a_state_or_within_a_window)
{
	struct source source = {0};
	cr_expect(not(source_is_resumed(&source, 250)));
	source_set(&source, 200, SOURCE_ACTIVE);
	cr_expect(not(source_is_resumed(&source, 250)));
	source_set_window(&source, 200, 900);
	cr_expect(not(source_is_resumed(&source, 250)));
	source_set_window(&source, 201, 900);
	cr_expect(source_is_resumed(&source, 250));
	source_set_window(&source, 0, 900);
	source_set(&source, 300, SOURCE_YIELDED);
	cr_expect(not(source_is_resumed(&source, 299)));
	cr_expect(source_is_resumed(&source, 300));
}

Test(source, precedes_the_window)
{
	struct source source = {0};
	source_set_window(&source, 200, UINT64_MAX);
	cr_expect(source_precedes(&source, 250, 7));
	source_note_call(&source, 260, 7);
	cr_expect(not(source_precedes(&source, 250, 7)));
	source = (struct source){0};
	source_set_window(&source, 200, UINT64_MAX);
	source_set(&source, 300, SOURCE_ACTIVE);
	cr_expect(not(source_precedes(&source, 350, 7)));
}
