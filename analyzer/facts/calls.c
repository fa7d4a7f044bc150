/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/calls.h"

#include <stdlib.h>

#include "analyzer/facts/name.h"
#include "collector/format/blocking.h"
#include "collector/format/fields.h"
#include "collector/format/host_value.h"

#define LAUNCHES_FIRST 16u
_Static_assert(FACTS_LAUNCHES == LAUNCHES_FIRST << 6, "grown fourfold three times");

bool facts_make_room(struct facts_thread *thread)
{
	uint64_t larger = thread->capacity == 0 ? LAUNCHES_FIRST : 4 * thread->capacity;
	if (thread->capacity == FACTS_LAUNCHES)
		return true;
	struct fact_launch *launches = realloc(thread->launches, larger * sizeof(*launches));
	if (launches == NULL)
		return thread->capacity > 0;
	thread->launches = launches;
	thread->capacity = larger;
	return true;
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
	facts_remember(thread, record, 0);
	if (blocking_set(record_SET_memory(record), record_flags(record)))
		count(&facts->held_sets, record);
}

void facts_read(struct facts *facts, const struct record *record)
{
	int64_t bytes = record_INPUT_bytes(record);
	if (!work_is_of_files(record))
		return;
	fact_files_add(&facts->files, record);
	if (bytes <= 0 || record_INPUT_what(record) != INPUT_READ)
		return;
	facts->reads++;
	facts->small_reads += bytes < FACTS_READ;
	facts->read_bytes += (uint64_t)bytes;
}

void facts_wait(struct facts *facts, const struct record *record)
{
	int64_t bytes = record_INPUT_bytes(record);
	enum work_kind kind = work_of_wait(&facts->lookup, record);
	if (kind == WORK_IDLE)
		facts->queued_ns = record->begin;
	work_add(&facts->work, kind, record->begin, record->end, bytes > 0 ? (uint64_t)bytes : 0);
}

int facts_message(struct facts *facts, const struct record *record)
{
	/* who reads it may go on before who wrote it does */
	struct queue_message message = {record->begin, (uint32_t)record_QUEUE_number(record)};
	return facts->queue.messages.count < QUEUE_LIMIT ? vec_push(&facts->queue.messages, message)
							 : 0;
}

/* The time in the kernel is read right after the other. */
void facts_sample(struct facts *facts, const struct record *record)
{
	switch (record_SAMPLE_metric(record)) {
	case SAMPLE_USER_NS:
		facts->user_ns = record_SAMPLE_value(record);
		break;
	case SAMPLE_SYSTEM_NS:
		work_cpu(&facts->work, record->begin, facts->user_ns + record_SAMPLE_value(record));
		break;
	default:
		break;
	}
}

void facts_thread_sample(struct facts *facts, const struct record *record)
{
	if (record_THREAD_SAMPLE_thread(record) == facts->pid &&
		record_THREAD_SAMPLE_metric(record) == THREAD_DELAY_NS)
		work_delay(&facts->work, record->begin, record_THREAD_SAMPLE_value(record));
}

void facts_stack(struct facts *facts, const struct record *record)
{
	if (lookup_tid(&facts->lookup, record_STACK_thread(record)) == facts->pid)
		hot_add(&facts->hot, &facts->lookup, record);
	else
		pin_add(&facts->pin, &facts->lookup, record);
}
