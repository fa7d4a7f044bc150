/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/sums/held.h"

#include "collector/format/fields.h"

void held_memory(struct tables_held *held, const struct record *memory)
{
	unsigned what = record_MEMORY_what(memory);
	held->told = true;
	if (what == MEMORY_OUT) {
		held->outs++;
		held->failing = (struct record){0};
	} else if (what == MEMORY_ALLOCATED || what == MEMORY_RESERVED) {
		uint64_t most = record_MEMORY_most(memory);
		held->now[what] = record_MEMORY_bytes(memory);
		held->allocations += record_MEMORY_count(memory);
		if (most > held->most[what])
			held->most[what] = most;
	}
}

static void take(struct held_takes *takes, uint64_t step, const struct record *call)
{
	takes->count++;
	takes->ns += call->end > call->begin ? call->end - call->begin : 0;
	takes->bytes += record_bytes(call);
	if (step < HELD_EARLY)
		takes->early[step]++;
}

static void malloc_ended(struct tables_held *held, uint64_t step, const struct record *call)
{
	const struct record *failing = &held->failing;
	if (failing->result != 0 && record_bytes(failing) == record_bytes(call) &&
		failing->place == call->place)
		held->retries++;
	held->failing = call->result != 0 ? *call : (struct record){0};
	if (call->result != 0)
		held->failed++;
	else
		take(&held->mallocs, step, call);
}

void held_call(struct tables_held *held, uint64_t step, const struct record *call)
{
	bool creates = (record_flags(call) & RECORD_CREATE) != 0;
	unsigned memory = record_ALLOC_memory(call);
	if (memory == MEMORY_PINNED && creates && call->result == 0)
		take(&held->pinned, step, call);
	else if (memory == MEMORY_DEVICE && creates)
		malloc_ended(held, step, call);
	else if (memory == MEMORY_DEVICE && (record_flags(call) & RECORD_DESTROY) != 0 &&
		 call->result == 0)
		take(&held->frees, step, call);
}

bool held_after(const struct held_takes *takes, uint64_t first_steps, uint64_t *ret_count)
{
	*ret_count = takes->count;
	for (uint64_t step = 0; step <= first_steps && step < HELD_EARLY; step++)
		*ret_count -= takes->early[step];
	return first_steps < HELD_EARLY;
}
