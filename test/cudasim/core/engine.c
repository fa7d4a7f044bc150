/* SPDX-License-Identifier: MIT */
#include "engine.h"

#include <string.h>

static void forget_past(struct engine *engine, uint64_t now_ns)
{
	unsigned past = 0;
	while (past < engine->count && engine->taken[past].end_ns <= now_ns)
		past++;
	engine->count -= past;
	memmove(engine->taken, engine->taken + past, engine->count * sizeof(engine->taken[0]));
}

/* Puts [begin, end) before interval index; intervals that touch become one. */
static void insert(struct engine *engine, unsigned index, uint64_t begin_ns, uint64_t end_ns)
{
	struct engine_interval *taken = engine->taken;
	if (index > 0 &&
		(taken[index - 1].end_ns == begin_ns || engine->count == ENGINE_INTERVALS)) {
		taken[index - 1].end_ns = end_ns;
		return;
	}
	if (engine->count == ENGINE_INTERVALS) {
		taken[0].begin_ns = begin_ns;
		return;
	}
	memmove(taken + index + 1, taken + index, (engine->count - index) * sizeof(taken[0]));
	taken[index].begin_ns = begin_ns;
	taken[index].end_ns = end_ns;
	engine->count++;
}

uint64_t engine_take(
	struct engine *engine, uint64_t ready_ns, uint64_t duration_ns, uint64_t now_ns)
{
	uint64_t begin_ns = ready_ns;
	unsigned i;
	forget_past(engine, now_ns);
	for (i = 0; i < engine->count; i++) {
		if (begin_ns + duration_ns <= engine->taken[i].begin_ns)
			break;
		if (begin_ns < engine->taken[i].end_ns)
			begin_ns = engine->taken[i].end_ns;
	}
	insert(engine, i, begin_ns, begin_ns + duration_ns);
	return begin_ns;
}
