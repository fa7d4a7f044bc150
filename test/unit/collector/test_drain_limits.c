/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "test/unit/collector/turning.h"

TestSuite(drain_limits, .fini = tear_down, .timeout = 60);

/* Every call from now on fails. */
static void fill_disk(void)
{
	faulty = (struct faulty){.fail_at = 1, .fail_count = 1000000, .fail_code = ENOSPC};
}

Test(drain_limits, keeps_draining_and_counting_when_the_disk_is_full)
{
	begin(0);
	push(0, 100);
	turn_run(&turn);
	cr_assert(eq(int, turn_flush(&turn, true), 0));
	fill_disk();
	uint64_t pushed = 100;
	for (unsigned i = 0; i < 400; i++, pushed += 3000) {
		push(pushed, 3000);
		cr_assert(eq(u64, turn_run(&turn), 3000), "the ring must not fill up");
		(void)turn_flush(&turn, true);
	}
	/* There is room again, and the pause is over. */
	faulty.fail_at = 0;
	turn.writer.retry_ns = 0;
	push(pushed, 50);
	turn_run(&turn);
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(gt(u64, seen.lost[LOSS_DISK_FULL], 0));
	cr_assert(eq(u64, seen.launches + seen.lost[LOSS_DISK_FULL], pushed + 50));
	cr_assert(eq(u64, seen.next, pushed + 50), "the last ones are there");
	cr_assert(eq(u64, file.end.lost, seen.lost[LOSS_DISK_FULL]));
}

Test(drain_limits, the_last_words_fit_on_a_full_disk)
{
	begin(0);
	push(0, 3000);
	turn_run(&turn);
	cr_assert(eq(int, turn_flush(&turn, true), 0));
	push(3000, 2000);
	turn_run(&turn);
	/* Only reserving fails: what is reserved already can be written to. */
	faulty = (struct faulty){.fail_at = 2, .fail_count = 1, .fail_code = ENOSPC};
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	cr_assert(eq(u32, faulty.failed, 1));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(eq(u64, seen.launches, 3000));
	cr_assert(file.has_end);
	cr_assert(ge(u64, file.end.lost, 2000));
	cr_assert(eq(u64, file.end.events, file.events));
	cr_assert(eq(u64, file.end.lost, file.lost));
}

Test(drain_limits, a_disk_that_stays_full_leaves_the_live_file_readable)
{
	begin(0);
	push(0, 100);
	turn_run(&turn);
	cr_assert(eq(int, turn_flush(&turn, true), 0));
	fill_disk();
	cr_assert(lt(int, turn_finish(&turn, "exit"), 0));
	read_back();
	cr_assert(not(file.truncated));
	cr_assert(eq(u32, file.frames, 1));
}

Test(drain_limits, stops_at_the_size_limit_and_never_exceeds_it)
{
	begin(100000);
	uint64_t pushed = 0;
	for (unsigned i = 0; i < 500 && !turn.writer.over_limit; i++, pushed += 3000) {
		push(pushed, 3000);
		turn_run(&turn);
		(void)turn_flush(&turn, true);
	}
	cr_assert(turn.writer.over_limit);
	cr_assert(eq(int, turn_finish(&turn, "size limit"), 0));
	live_remove(&live);
	struct seen seen = read_back();
	cr_assert(le(u64, sink.bytes, 100000));
	cr_assert(strcmp(file.end_reason, "size limit") == 0);
	cr_assert(gt(u64, seen.launches, 0));
	cr_assert(ge(u64, seen.launches + seen.lost[LOSS_SIZE_LIMIT], pushed));
}
