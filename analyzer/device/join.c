/* SPDX-License-Identifier: MIT */
#include "analyzer/device/join.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/device/join_give.h"

/* So many calls before it is needed, memory is asked for. */
#define AHEAD_FAR  12u
#define AHEAD_NEAR 6u

struct join *join_new(const struct join_sink *sink)
{
	struct join *join = calloc(1, sizeof(*join));
	if (join == NULL)
		return NULL;
	join->sink = *sink;
	if (join_table_init(&join->table) == 0 && join_wait_init(&join->wait) == 0)
		return join;
	join_free(join);
	return NULL;
}

void join_free(struct join *join)
{
	if (join == NULL)
		return;
	for (struct join_thread *thread = join->list, *next; thread != NULL; thread = next) {
		next = thread->next;
		join_thread_release(thread);
		free(thread);
	}
	idmap_release(&join->threads);
	join_table_release(&join->table);
	join_wait_release(&join->wait);
	free(join);
}

static __attribute__((noinline)) struct join_thread *find_thread(struct join *join, uint32_t tid)
{
	struct join_thread *thread = idmap_get(&join->threads, tid);
	if (thread != NULL)
		return join->last = thread;
	thread = calloc(1, sizeof(*thread));
	if (thread == NULL)
		return NULL;
	*thread = (struct join_thread){.id = tid, .next = join->list};
	if (idmap_set(&join->threads, tid, thread) < 0) {
		free(thread);
		return NULL;
	}
	join->list = thread;
	return join->last = thread;
}

static inline struct join_thread *thread_of(struct join *join, uint32_t tid)
{
	return join->last != NULL && join->last->id == tid ? join->last : find_thread(join, tid);
}

/* Two records of one clock: one lies within the other. */
static bool fits(uint64_t a_begin, uint64_t a_end, uint64_t b_begin, uint64_t b_end)
{
	return (a_begin <= b_begin && b_end <= a_end) || (b_begin <= a_begin && a_end <= b_end);
}

/*
 * Empty the entry that the next id is to have, the oldest one that nothing waits for, of what is
 * left; where much is waited for it gives that up. 0 or -ENOMEM.
 */
static __attribute__((noinline)) int make_room(struct join *join)
{
	struct join_table *table = &join->table;
	struct join_early gone;
	uint32_t at = join_table_choose(table);
	if (join_table_is_open(table, at)) {
		join->counts.crowded++;
		if (join_give_up(join, at, JOIN_UNCALLED) < 0)
			return -ENOMEM;
	}
	if (join_table_has_early(table, at))
		join_wait_take_early(&join->wait, &table->entries[at], &gone);
	return 0;
}

/* As entry_of(), of an id that has none. */
static inline __attribute__((always_inline)) uint32_t new_entry(
	struct join *join, uint32_t correlation)
{
	unsigned state = join->table.states[join->table.oldest];
	if (__builtin_expect(state != JOIN_EMPTY && state != JOIN_CALLED, 0) && make_room(join) < 0)
		return JOIN_NOWHERE;
	return join_table_take(&join->table, correlation);
}

/* The entry of an id, a new one if need be; JOIN_NOWHERE: no memory. */
static inline __attribute__((always_inline)) uint32_t entry_of(
	struct join *join, uint32_t correlation)
{
	uint32_t at = join_table_find(&join->table, correlation);
	return at != JOIN_NOWHERE ? at : new_entry(join, correlation);
}

/* The entry of the interface's record; JOIN_NOWHERE when it has made room for others. */
static inline uint32_t entry_at(const struct join *join, const struct join_api *api)
{
	const struct join_entry *entry = &join->table.entries[api->entry];
	bool same = join->table.states[api->entry] == JOIN_API && entry->id == api->correlation &&
		    entry->begin_ns == api->begin_ns;
	return same ? api->entry : JOIN_NOWHERE;
}

/* Those of the next calls were put into memory long ago. */
static inline void prefetch(const struct join *join, const struct join_thread *thread)
{
	uint32_t far = circle_at(&thread->apis, thread->apis.first + AHEAD_FAR)->entry;
	uint32_t near = circle_at(&thread->apis, thread->apis.first + AHEAD_NEAR)->entry;
	__builtin_prefetch(&join->table.entries[far], 1);
	/* where nothing waits this is anywhere, which does no harm */
	uint32_t mask = join->wait.capacity - 1;
	__builtin_prefetch(&join->wait.records[join->table.entries[near].last & mask]);
}

/* Remove the oldest record of the interface in a thread: it belongs to no call of ours. */
static int drop_api(struct join *join, struct join_thread *thread)
{
	uint32_t at = entry_at(join, circle_at(&thread->apis, thread->apis.first++));
	return at != JOIN_NOWHERE ? join_give_up(join, at, JOIN_UNCALLED) : 0;
}

/* The oldest record of the interface makes room for another one. */
static __attribute__((noinline)) int crowd_out(struct join *join, struct join_thread *thread)
{
	join->counts.crowded++;
	return drop_api(join, thread);
}

/* Keep the interface's record until its call comes. */
static inline __attribute__((always_inline)) int keep_api(
	struct join *join, struct join_thread *thread, uint32_t at, const struct record *record)
{
	const struct join_api api = {.begin_ns = record->begin,
		.end_ns = record->end,
		.correlation = record_correlation(record),
		.entry = at};
	if (__builtin_expect(circle_count(&thread->apis) == JOIN_APIS, 0) &&
		crowd_out(join, thread) < 0)
		return -ENOMEM;
	return join_thread_keep_api(thread, &api);
}

int join_call(struct join *join, uint32_t tid, uint64_t number, uint64_t begin_ns, uint64_t end_ns)
{
	struct join_thread *thread = thread_of(join, tid);
	if (thread == NULL)
		return -ENOMEM;
	bool taken = false;
	thread->newest_ns = begin_ns;
	while (circle_count(&thread->apis) > 0) {
		const struct join_api *api = circle_at(&thread->apis, thread->apis.first);
		if (api->begin_ns >= end_ns && api->begin_ns > begin_ns)
			break;
		bool mine = join_fit(api->begin_ns, api->end_ns, begin_ns, end_ns) != JOIN_APART;
		/* most of it is behind this call: the next one's */
		if (!mine && api->end_ns > end_ns)
			break;
		uint32_t at = entry_at(join, api);
		mine &= at != JOIN_NOWHERE;
		if (circle_count(&thread->apis) > AHEAD_FAR)
			prefetch(join, thread);
		/* what begins in this call or before and is not part of it is part of none */
		int err = mine ? join_claim(join, at, number) : drop_api(join, thread);
		if (err < 0)
			return err;
		thread->apis.first += mine;
		taken |= mine;
	}
	const struct join_call call = {
		.begin_ns = begin_ns, .end_ns = end_ns, .number = number, .taken = taken};
	return join_thread_keep_call(thread, &call, join->forgotten);
}

/* Its id is another call's from now on: nothing is known of that, and nothing waits. */
static void restart(struct join *join, uint32_t at)
{
	struct join_table *table = &join->table;
	struct join_early gone;
	if (join_table_has_early(table, at))
		join_wait_take_early(&join->wait, &table->entries[at], &gone);
	table->states[at] = JOIN_OPERATIONS;
	table->entries[at] = (struct join_entry){.id = table->entries[at].id};
}

/*
 * The entry, which has more than operations, is free for the interface's record of a call. 1; 0:
 * the record is the second of the same call (one of the runtime calls the driver); -ENOMEM.
 */
static __attribute__((noinline)) int clear_entry(
	struct join *join, uint32_t at, uint32_t tid, const struct record *record)
{
	const struct join_entry *entry = &join->table.entries[at];
	unsigned state = join->table.states[at];
	bool nested = entry->thread == tid &&
		      fits(entry->begin_ns, entry->end_ns, record->begin, record->end);
	if (nested)
		return state == JOIN_UNCALLED || state == JOIN_FORGOTTEN;
	/* the id has come again */
	if (state == JOIN_API && join_give_up(join, at, JOIN_UNCALLED) < 0)
		return -ENOMEM;
	restart(join, at);
	return 1;
}

/* The call of the interface's record may have come already. */
static __attribute__((noinline)) int find_call(
	struct join *join, struct join_thread *thread, uint32_t at, const struct record *record)
{
	struct join_call *call = join_thread_find_call(thread, record->begin, record->end);
	if (call != NULL) {
		call->taken = true;
		return join_claim(join, at, call->number);
	}
	/* later calls of the thread have come: this one was not recorded */
	if (thread->newest_ns >= record->end && thread->newest_ns > record->begin)
		return join_give_up(join, at,
			record->begin < thread->dropped_ns ? JOIN_FORGOTTEN : JOIN_UNCALLED);
	return keep_api(join, thread, at, record);
}

static __attribute__((noinline)) int take_api(struct join *join, const struct record *record)
{
	uint32_t tid = (uint32_t)record_DEVICE_API_thread(record);
	struct join_thread *thread = thread_of(join, tid);
	if (thread == NULL)
		return -ENOMEM;
	uint32_t at = entry_of(join, record_correlation(record));
	if (at == JOIN_NOWHERE)
		return -ENOMEM;
	if (__builtin_expect(join->table.states[at] != JOIN_OPERATIONS, 0)) {
		int free = clear_entry(join, at, tid, record);
		if (free <= 0)
			return free;
	}
	struct join_entry *entry = &join->table.entries[at];
	join->counts.apis++;
	entry->thread = tid;
	entry->begin_ns = record->begin;
	entry->end_ns = record->end;
	join->table.states[at] = JOIN_API;
	source_note_call(&join->source, record->begin, entry->id);
	if (record->begin <= thread->latest_ns)
		return find_call(join, thread, at, record);
	return keep_api(join, thread, at, record);
}

/* Its id is new, an entry is free, and its call has not come. */
static inline bool waits_as_next(
	const struct join *join, const struct join_thread *thread, const struct record *record)
{
	const struct join_table *table = &join->table;
	unsigned state = table->states[table->oldest];
	uint64_t ns = record->begin, count = thread != NULL ? circle_count(&thread->apis) : 0;
	return count > 0 && thread->id == (uint32_t)record_DEVICE_API_thread(record) &&
	       count < JOIN_APIS && count < thread->apis.capacity && ns > thread->latest_ns &&
	       circle_at(&thread->apis, thread->apis.until - 1)->begin_ns <= ns &&
	       (int32_t)(record_correlation(record) - table->newest_id) > 0 &&
	       (state == JOIN_EMPTY || state == JOIN_CALLED) && ns >= join->source.known_from_ns &&
	       ns < join->source.known_to_ns;
}

int join_api(struct join *join, const struct record *record)
{
	struct join_table *table = &join->table;
	struct join_thread *thread = join->last;
	if (!waits_as_next(join, thread, record))
		return take_api(join, record);
	uint32_t id = record_correlation(record), at = join_table_take(table, id);
	struct join_entry *entry = &table->entries[at];
	entry->thread = thread->id;
	entry->begin_ns = record->begin;
	entry->end_ns = record->end;
	table->states[at] = JOIN_API;
	join->counts.apis++;
	*circle_at(&thread->apis, thread->apis.until++) = (struct join_api){
		.begin_ns = record->begin, .end_ns = record->end, .correlation = id, .entry = at};
	return 0;
}

/* The entry of the oldest operation that waits gives them up. */
static __attribute__((noinline)) int crowd_out_entry(struct join *join, uint32_t at)
{
	join->counts.crowded++;
	return join_give_up(join, at, (enum join_state)join->table.states[at]);
}

/* Its call will hardly come: it counts as work while there is time. */
static __attribute__((noinline)) int doubt(
	struct join *join, uint32_t at, const struct record *record)
{
	bool precedes = source_is_resumed(&join->source, record->end) &&
			source_precedes(&join->source, record->end, record_correlation(record));
	return precedes ? join_give_up(join, at, JOIN_OPERATIONS) : 0;
}

/* Keep an operation until its call is known. */
static inline __attribute__((always_inline)) int keep_operation(
	struct join *join, uint32_t at, const struct record *record)
{
	uint32_t oldest = join_wait_make_room(&join->wait);
	if (__builtin_expect(oldest != JOIN_NOWHERE, 0) && crowd_out_entry(join, oldest) < 0)
		return -ENOMEM;
	join_wait_add(&join->wait, &join->table.entries[at], at, record);
	return join->table.states[at] == JOIN_OPERATIONS ? doubt(join, at, record) : 0;
}

static __attribute__((noinline)) uint32_t entry_without_call(
	struct join *join, uint32_t correlation)
{
	return new_entry(join, correlation);
}

static __attribute__((noinline)) int take_operation(struct join *join, const struct record *record)
{
	const struct join_sink *sink = &join->sink;
	bool timed = join_has_times(record);
	join->counts.operations++;
	join->counts.untimed += !timed;
	uint32_t correlation = record_correlation(record);
	if (correlation == 0)
		return sink->operation(sink->context, JOIN_NO_CALL, record);
	uint32_t at = join_table_find(&join->table, correlation);
	if (__builtin_expect(at == JOIN_NOWHERE, 0) &&
		(at = entry_without_call(join, correlation)) == JOIN_NOWHERE)
		return -ENOMEM;
	const struct join_entry *entry = &join->table.entries[at];
	unsigned state = join->table.states[at];
	bool earlier =
		timed && state >= JOIN_API && record->begin + JOIN_SLACK_NS < entry->begin_ns;
	if (__builtin_expect(earlier, 0))
		return sink->operation(sink->context, JOIN_NO_CALL, record);
	if (__builtin_expect(state >= JOIN_UNCALLED, 0))
		return join_tell_alone(join, at, record);
	if (state != JOIN_CALLED)
		return keep_operation(join, at, record);
	join->counts.matched++;
	return sink->operation(sink->context, entry->call, record);
}

/* The record of the interface came just before the operation, or those of its neighbours did. */
static inline bool waits_with_next(const struct join *join, const struct record *record)
{
	const struct join_table *table = &join->table;
	const struct join_wait *wait = &join->wait;
	const struct join_entry *entry = &table->entries[table->guess];
	uint32_t id = record_correlation(record);
	return entry->id == id && id != 0 && table->states[table->guess] == JOIN_API &&
	       (int32_t)(id - table->newest_id) <= 0 && join_has_times(record) &&
	       record->begin + JOIN_SLACK_NS >= entry->begin_ns &&
	       wait->links[wait->number & (wait->capacity - 1)].entry == 0;
}

int join_operation(struct join *join, const struct record *record)
{
	struct join_table *table = &join->table;
	uint32_t at = table->guess;
	if (!waits_with_next(join, record))
		return take_operation(join, record);
	table->guess = (at + 1) & (table->entry_count - 1);
	join->counts.operations++;
	join_wait_add(&join->wait, &table->entries[at], at, record);
	return 0;
}

int join_record(struct join *join, const struct record *record)
{
	switch (record->kind) {
	case RECORD_DEVICE_API:
		return join_api(join, record);
	case RECORD_DEVICE_KERNEL:
	case RECORD_DEVICE_COPY:
	case RECORD_DEVICE_SET:
		return join_operation(join, record);
	default:
		return 0;
	}
}

void join_forget(struct join *join, uint64_t number)
{
	join->forgotten = number;
}

int join_finish(struct join *join)
{
	for (uint32_t i = 0; i < join->table.entry_count; i++)
		if (join_table_waits(&join->table, i) && join_give_up(join, i, JOIN_UNCALLED) < 0)
			return -ENOMEM;
	return 0;
}
