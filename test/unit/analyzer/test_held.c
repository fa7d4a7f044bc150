/* SPDX-License-Identifier: MIT */
/* What was done with a device's memory. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/tables/sums/held.h"
#include "collector/format/fields.h"

static void call(struct tables_held *held, uint64_t step, uint64_t bytes, int32_t result,
	uint32_t flags, enum memory_kind memory)
{
	struct record record = {.kind = RECORD_ALLOC,
		.begin = 100,
		.end = 107,
		.result = result,
		.place = 5,
		.a = bytes,
		.d = flags};
	record_set_ALLOC_memory(&record, memory);
	held_call(held, step, &record);
}

static void tell(struct tables_held *held, enum memory_what what, uint64_t bytes, uint64_t most,
	uint32_t count)
{
	struct record record = {.kind = RECORD_MEMORY};
	record_set_MEMORY_what(&record, what);
	record_set_MEMORY_bytes(&record, bytes);
	record_set_MEMORY_most(&record, most);
	record_set_MEMORY_count(&record, count);
	held_memory(held, &record);
}

Test(held, peaks_are_those_between_records_too)
{
	struct tables_held held = {0};
	tell(&held, MEMORY_ALLOCATED, 10, 50, 3);
	tell(&held, MEMORY_RESERVED, 100, 100, 0);
	tell(&held, MEMORY_ALLOCATED, 20, 30, 4);
	cr_expect(eq(u64, held.most[MEMORY_ALLOCATED], 50));
	cr_expect(eq(u64, held.now[MEMORY_ALLOCATED], 20));
	cr_expect(eq(u64, held.most[MEMORY_RESERVED], 100));
	cr_expect(eq(u64, held.allocations, 7));
}

Test(held, a_call_made_again_is_a_retry_unless_the_allocator_gave_up)
{
	struct tables_held held = {0};
	call(&held, 0, 64, 2, RECORD_CREATE, MEMORY_DEVICE);
	call(&held, 0, 32, 0, RECORD_DESTROY, MEMORY_DEVICE);
	call(&held, 0, 64, 0, RECORD_CREATE, MEMORY_DEVICE); /* again */
	call(&held, 0, 64, 0, RECORD_CREATE, MEMORY_DEVICE); /* another one */
	cr_expect(eq(u64, held.retries, 1));
	call(&held, 0, 99, 2, RECORD_CREATE, MEMORY_DEVICE);
	call(&held, 0, 99, 2, RECORD_CREATE, MEMORY_DEVICE); /* again, in vain */
	tell(&held, MEMORY_OUT, 99, 0, 0);
	call(&held, 0, 99, 0, RECORD_CREATE, MEMORY_DEVICE); /* the program tries another time */
	cr_expect(eq(u64, held.retries, 2));
	cr_expect(eq(u64, held.outs, 1));
	cr_expect(eq(u64, held.failed, 3));
	cr_expect(eq(u64, held.mallocs.count, 3));
	cr_expect(eq(u64, held.frees.count, 1));
	cr_expect(eq(u64, held.mallocs.ns, 21));
	cr_expect(eq(u64, held.mallocs.bytes, 64 + 64 + 99));
}

Test(held, the_first_steps_are_told_apart)
{
	struct tables_held held = {0};
	uint64_t count;
	for (uint64_t step = 0; step < 200; step++)
		call(&held, step, 8, 0, RECORD_CREATE,
			step % 2 == 0 ? MEMORY_DEVICE : MEMORY_PINNED);
	cr_expect(held_after(&held.mallocs, 2, &count));
	cr_expect(eq(u64, count, 98));
	cr_expect(held_after(&held.pinned, 2, &count));
	cr_expect(eq(u64, count, 99));
	cr_expect(not(held_after(&held.mallocs, HELD_EARLY, &count)));
}
