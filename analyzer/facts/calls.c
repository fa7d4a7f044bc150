/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/calls.h"

#include "analyzer/facts/name.h"
#include "collector/format/blocking.h"
#include "collector/format/fields.h"
#include "collector/format/host_value.h"

static void remember(struct facts_thread *thread, const struct record *record, uint32_t name)
{
	struct fact_launch *launch = &thread->launches[thread->launched++ % FACTS_LAUNCHES];
	launch->begin_ns = record->begin;
	launch->name = name;
	launch->named = false;
	thread->filled = false;
}

void facts_launch(struct facts *facts, struct facts_thread *thread, const struct record *record)
{
	struct fact_name *name = facts_name(facts, record->name);
	remember(thread, record, record->name);
	if (name == NULL)
		return;
	name->launches++;
	fact_vote(&name->place, record->place);
}

static void count(struct fact_place *fact, const struct record *record)
{
	fact->count++;
	fact->ns += record->end - record->begin;
	fact->bytes += record_bytes(record);
	fact_vote(&fact->place, record->place);
}

void facts_copy(struct facts *facts, struct facts_thread *thread, const struct record *record)
{
	if (thread->filled && record_direction(record) == COPY_HOST_TO_DEVICE)
		count(&facts->filled_copies, record);
	thread->filled = false;
}

void facts_set(struct facts *facts, struct facts_thread *thread, const struct record *record)
{
	remember(thread, record, 0);
	if (blocking_set(record_SET_memory(record), record_flags(record)))
		count(&facts->held_sets, record);
}

void facts_read(struct facts *facts, const struct record *record)
{
	int64_t bytes = record_INPUT_bytes(record);
	if (record_INPUT_what(record) != INPUT_READ || record_INPUT_medium(record) != MEDIUM_FILE ||
		bytes <= 0)
		return;
	facts->reads++;
	facts->small_reads += bytes < FACTS_READ;
	facts->read_bytes += (uint64_t)bytes;
}
