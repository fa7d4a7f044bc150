/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/ops.h"

#include <errno.h>

#include "analyzer/facts/name.h"
#include "collector/format/fields.h"

#define SPECIAL                                                                                    \
	(WORD_OPTIMIZER | WORD_ZERO_GRAD | WORD_LOADER | WORD_PARAMETER | WORD_DATA_PARALLEL |     \
		WORD_SYNC_NORM | WORD_SEARCH | WORD_DISTRIBUTED | WORD_COMPILED)

/* Its launches that no operator within it has: the last ones of the thread. */
static void name_launches(
	struct facts *facts, struct facts_thread *thread, const struct record *record)
{
	uint64_t kept = facts_remembered(thread);
	for (uint64_t i = 0; i < kept; i++) {
		struct fact_launch *launch = facts_last_launch(thread, i);
		if (launch->named || launch->begin_ns < record->begin)
			return;
		launch->named = true;
		struct fact_name *kernel =
			launch->name != 0 ? facts_name(facts, launch->name) : NULL;
		if (kernel != NULL)
			fact_vote(&kernel->op, record->name);
	}
}

/* Launches and sets in the range, as far as they are remembered. */
static uint64_t launches_in(const struct facts_thread *thread, const struct record *range)
{
	uint64_t kept = facts_remembered(thread), count = 0;
	while (count < kept && facts_last_launch(thread, count)->begin_ns >= range->begin)
		count++;
	return count;
}

/* The kernels of a function of the backward pass are those of the line behind it. */
static void link_launches(
	struct facts *facts, const struct facts_thread *thread, const struct record *op)
{
	uint64_t count = launches_in(thread, op);
	for (uint64_t i = 0; i < count; i++) {
		uint32_t id = facts_last_launch(thread, i)->name;
		struct fact_name *kernel = id != 0 ? facts_name(facts, id) : NULL;
		if (kernel != NULL)
			fact_vote(&kernel->behind, thread->behind.line);
	}
}

/* The first operator without a number around a function runs it, which is part of it. */
static void take_function(struct facts *facts, struct facts_thread *thread, const struct record *op)
{
	if (record_OP_scope(op) == OP_BACKWARD_FUNCTION) {
		const struct link *link = links_find(&facts->links, op);
		if (link != NULL)
			thread->behind = (struct fact_behind){op->begin, link->line};
	} else if (thread->behind.line != 0 && record_OP_forward(op) == 0 &&
		   record_OP_scope(op) == OP_FUNCTION && op->begin <= thread->behind.begin_ns) {
		link_launches(facts, thread, op);
		thread->behind.line = 0;
	}
}

static int add_load(
	struct facts *facts, const struct facts_thread *thread, const struct record *record)
{
	uint64_t ns = record->end - record->begin;
	facts->load_samples[facts->loads % FACTS_LOADS] = (struct fact_load){
		.ns = ns, .index = (uint32_t)facts->loads, .place = record->place};
	facts->loads++;
	facts->main_loads += thread->is_main; /* waits of others are not known */
	facts->waited_loads += thread->is_main && facts->queued_ns >= record->begin;
	facts->load_ns += ns;
	turns_add(&facts->turns, record->place, record->end);
	work_add(&facts->work, WORK_LOAD, record->begin, record->end, 0);
	struct queue_ask ask = {record->begin, record->end};
	return facts->queue.asks.count < QUEUE_LIMIT ? vec_push(&facts->queue.asks, ask) : 0;
}

static int take_special(struct facts *facts, const struct facts_thread *thread,
	const struct record *record, unsigned words)
{
	if ((words & WORD_OPTIMIZER) != 0) {
		if (++facts->optimizers == FACTS_SETTLED)
			facts->reserved_first = facts->reserved;
		fact_vote(&facts->optimizer_place, record->place);
		facts->optimizer_launches += launches_in(thread, record);
		/* no gradient was told since the one before: a graph made them */
		facts->unfed += facts->parameters == facts->fed;
		facts->fed = facts->parameters;
	}
	if ((words & WORD_ZERO_GRAD) != 0) {
		facts->zeroings++;
		fact_vote(&facts->zeroing_place, record->place);
		facts->zeroing_launches += launches_in(thread, record);
	}
	if ((words & WORD_SEARCH) != 0) {
		facts->searches++;
		facts->searches_ns += record->end - record->begin;
	}
	if ((words & WORD_DISTRIBUTED) != 0) {
		facts->distributed_forwards++;
		fact_vote(&facts->distributed_place, record->place);
	}
	facts->compiled += (words & WORD_COMPILED) != 0;
	facts->parameters += (words & WORD_PARAMETER) != 0;
	/* its gradient is a graph's: no replay tells it again */
	facts->captured += (words & WORD_PARAMETER) != 0 && thread->captures;
	facts->parallel_forwards += (words & WORD_DATA_PARALLEL) != 0;
	facts->sync_norms += (words & WORD_SYNC_NORM) != 0;
	return (words & WORD_LOADER) != 0 ? add_load(facts, thread, record) : 0;
}

int facts_op(struct facts *facts, struct facts_thread *thread, const struct record *record)
{
	const struct fact_name *name = facts_name(facts, record->name);
	unsigned words = name != NULL ? name->words : 0;
	/* its library need not say a version */
	if (facts->framework == 0 && record_OP_framework(record) != OP_PROBE)
		facts->framework = (enum op_framework)record_OP_framework(record);
	if (record_OP_scope(record) != OP_USER_SCOPE && thread->launched > 0)
		name_launches(facts, thread, record);
	if ((words & WORD_FILL) != 0)
		thread->filled = launches_in(thread, record) == 0;
	else if ((words & WORD_ROOM) == 0)
		thread->filled = false;
	if ((words & SPECIAL) != 0 && take_special(facts, thread, record, words) < 0)
		return -ENOMEM;
	if (thread->launched > 0)
		take_function(facts, thread, record);
	int err = links_add(&facts->links, record);
	if (err < 0 || (words & WORD_COMPILED) == 0)
		return err;
	return compiled_end(&facts->regions, &facts->lookup, facts->last_id,
		lookup_text(&facts->lookup, record->name), record);
}
