/* SPDX-License-Identifier: MIT */
#include "analyzer/device/join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The device's clock is fitted to the host's: an operation may seem to begin before its call. */
#define CLOCK_SLACK_NS 1000000u
#define LEAST_CIRCLE   64u
/* So many calls before it is needed, memory is asked for. */
#define AHEAD_FAR  12u
#define AHEAD_NEAR 6u

struct join *join_new(const struct join_sink *sink)
{
	struct join *join = calloc(1, sizeof(*join));
	if (join == NULL)
		return NULL;
	join->sink = *sink;
	if (join_table_init(&join->table) == 0)
		return join;
	free(join);
	return NULL;
}

void join_free(struct join *join)
{
	if (join == NULL)
		return;
	for (struct join_thread *thread = join->list, *next; thread != NULL; thread = next) {
		next = thread->next;
		free(thread->calls);
		free(thread->apis);
		free(thread);
	}
	idmap_release(&join->threads);
	join_table_release(&join->table);
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
	*thread = (struct join_thread){.id = tid,
		.calls = malloc(LEAST_CIRCLE * sizeof(*thread->calls)),
		.call_capacity = LEAST_CIRCLE,
		.apis = malloc(LEAST_CIRCLE * sizeof(*thread->apis)),
		.api_capacity = LEAST_CIRCLE,
		.next = join->list};
	if (thread->calls == NULL || thread->apis == NULL ||
		idmap_set(&join->threads, tid, thread) < 0) {
		free(thread->calls);
		free(thread->apis);
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

static struct join_call *call_at(const struct join_thread *thread, uint64_t at)
{
	return &thread->calls[at & (thread->call_capacity - 1)];
}

static struct join_api *api_at(const struct join_thread *thread, uint64_t at)
{
	return &thread->apis[at & (thread->api_capacity - 1)];
}

/* One interval lies within the other. */
static bool fits(uint64_t a_begin, uint64_t a_end, uint64_t b_begin, uint64_t b_end)
{
	return (a_begin <= b_begin && b_end <= a_end) || (b_begin <= a_begin && a_end <= b_end);
}

/* What waits with an entry, and what comes later, has no call that is known. */
static int give_up(struct join *join, uint32_t at, enum join_state state)
{
	struct join_table *table = &join->table;
	const struct record *record;
	table->states[at] = (uint8_t)state;
	while ((record = join_table_next(table, at)) != NULL) {
		struct join_early *early = join_table_early(table, at);
		if (early == NULL)
			return -ENOMEM;
		bool timed = (record->result >> 16 & DEVICE_NO_TIMES) == 0;
		if (timed && (early->end_ns == 0 || record->begin < early->begin_ns))
			early->begin_ns = record->begin;
		if (timed && record->end > early->end_ns)
			early->end_ns = record->end;
		early->count++;
		int err = join->sink.operation(join->sink.context, JOIN_NO_CALL, record);
		if (err < 0)
			return err;
	}
	return 0;
}

/* The call of an entry is known: it gets what waits. */
static int claim(struct join *join, uint32_t at, uint64_t call)
{
	struct join_table *table = &join->table;
	const struct record *record;
	struct join_early early;
	int err = 0;
	if (join_table_has_early(table, at)) {
		join_table_take_early(table, at, &early);
		join->sink.claimed(
			join->sink.context, call, early.count, early.begin_ns, early.end_ns);
		join->counts.matched += early.count;
	}
	while (err == 0 && (record = join_table_next(table, at)) != NULL) {
		join->counts.matched++;
		err = join->sink.operation(join->sink.context, call, record);
	}
	table->states[at] = JOIN_CALLED;
	table->entries[at].call = call;
	return err;
}

/* What was stored where an id belongs makes room; *ret_done false: it stays, being newer. */
static __attribute__((noinline)) int make_room(
	struct join *join, uint32_t at, uint32_t correlation, bool *ret_done)
{
	struct join_table *table = &join->table;
	bool waits = join_table_waits(table, at);
	*ret_done = true;
	if (waits || table->states[at] == JOIN_API) {
		join->counts.crowded++;
		*ret_done = (int32_t)(table->entries[at].id - correlation) <= 0;
	}
	return *ret_done && waits ? give_up(join, at, JOIN_UNCALLED) : 0;
}

/* The entry of an id, a new one if need be; JOIN_NOWHERE: a newer id needs its place. */
static inline int entry_of(struct join *join, uint32_t correlation, uint32_t *ret_at)
{
	struct join_table *table = &join->table;
	uint32_t at = join_table_at(correlation);
	bool free = true;
	*ret_at = at;
	if (join_table_has(table, at, correlation))
		return 0;
	if (table->states[at] == JOIN_API || join_table_waits(table, at)) {
		int err = make_room(join, at, correlation, &free);
		if (err < 0)
			return err;
	}
	if (free)
		join_table_take(table, at, correlation);
	else
		*ret_at = JOIN_NOWHERE;
	return 0;
}

/* The entry of the interface's record; JOIN_NOWHERE when it has made room for others. */
static inline uint32_t entry_at(const struct join *join, const struct join_api *api)
{
	uint32_t at = join_table_at(api->correlation);
	const struct join_entry *entry = &join->table.entries[at];
	bool same = join->table.states[at] == JOIN_API && entry->id == api->correlation &&
		    entry->begin_ns == api->begin_ns;
	return same ? at : JOIN_NOWHERE;
}

/* Those of the next calls were put into memory long ago. */
static inline void prefetch(const struct join *join, const struct join_thread *thread)
{
	uint32_t far = join_table_at(api_at(thread, thread->api_first + AHEAD_FAR)->correlation);
	uint32_t near = join_table_at(api_at(thread, thread->api_first + AHEAD_NEAR)->correlation);
	__builtin_prefetch(&join->table.entries[far], 1);
	if (join_table_waits(&join->table, near)) {
		uint32_t mask = join->table.capacity - 1;
		__builtin_prefetch(&join->table.waiting[join->table.entries[near].last & mask]);
	}
}

/* Remove the oldest record of the interface in a thread: it belongs to no call of ours. */
static int drop_api(struct join *join, struct join_thread *thread)
{
	uint32_t at = entry_at(join, api_at(thread, thread->api_first++));
	return at != JOIN_NOWHERE ? give_up(join, at, JOIN_UNCALLED) : 0;
}

/* Keep the interface's record until the call comes, in order of begin. */
static int keep_api(struct join *join, struct join_thread *thread, const struct record *record)
{
	uint64_t used = thread->api_until - thread->api_first;
	if (used == JOIN_APIS) {
		join->counts.crowded++;
		if (drop_api(join, thread) < 0)
			return -ENOMEM;
	} else if (used == thread->api_capacity) {
		struct join_api *grown = malloc(2 * used * sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		for (uint64_t i = 0; i < used; i++)
			grown[(thread->api_first + i) & (2 * used - 1)] =
				*api_at(thread, thread->api_first + i);
		free(thread->apis);
		thread->apis = grown;
		thread->api_capacity = 2 * used;
	}
	uint64_t at = thread->api_until++;
	for (; at > thread->api_first && api_at(thread, at - 1)->begin_ns > record->begin; at--)
		*api_at(thread, at) = *api_at(thread, at - 1);
	*api_at(thread, at) = (struct join_api){
		.begin_ns = record->begin, .end_ns = record->end, .correlation = record->place};
	return 0;
}

/* Room for a call that is kept until the owner forgets it; NULL: no memory. */
static struct join_call *keep_call(struct join *join, struct join_thread *thread)
{
	while (thread->call_first < thread->call_until &&
		call_at(thread, thread->call_first)->number < join->forgotten)
		thread->call_first++;
	uint64_t used = thread->call_until - thread->call_first;
	if (used == thread->call_capacity) {
		struct join_call *grown = malloc(2 * used * sizeof(*grown));
		if (grown == NULL)
			return NULL;
		for (uint64_t i = 0; i < used; i++)
			grown[(thread->call_first + i) & (2 * used - 1)] =
				*call_at(thread, thread->call_first + i);
		free(thread->calls);
		thread->calls = grown;
		thread->call_capacity = 2 * used;
	}
	return call_at(thread, thread->call_until++);
}

int join_call(struct join *join, uint32_t tid, uint64_t number, uint64_t begin_ns, uint64_t end_ns)
{
	struct join_thread *thread = thread_of(join, tid);
	if (thread == NULL)
		return -ENOMEM;
	bool taken = false;
	thread->newest_ns = begin_ns;
	while (thread->api_first < thread->api_until) {
		const struct join_api *api = api_at(thread, thread->api_first);
		if (api->begin_ns >= end_ns && api->begin_ns > begin_ns)
			break;
		uint32_t at = entry_at(join, api);
		bool mine =
			at != JOIN_NOWHERE && fits(api->begin_ns, api->end_ns, begin_ns, end_ns);
		if (thread->api_until - thread->api_first > AHEAD_FAR)
			prefetch(join, thread);
		/* what begins in this call or before and is not part of it is part of none */
		int err = mine ? claim(join, at, number) : drop_api(join, thread);
		if (err < 0)
			return err;
		thread->api_first += mine;
		taken |= mine;
	}
	struct join_call *call = keep_call(join, thread);
	if (call == NULL)
		return -ENOMEM;
	call->begin_ns = begin_ns;
	call->end_ns = end_ns;
	call->number = number;
	call->taken = taken;
	return 0;
}

/* Position of the first call that begins after ns. */
static uint64_t find_later(const struct join_thread *thread, uint64_t ns)
{
	uint64_t low = thread->call_first, high = thread->call_until;
	if (low < high && call_at(thread, high - 1)->begin_ns <= ns)
		return high;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (call_at(thread, middle)->begin_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The call around the interface's record, or the first free one within it; NULL: not there. */
static struct join_call *find_call(struct join_thread *thread, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t at = thread->call_hint;
	if (at < thread->call_first || at >= thread->call_until ||
		call_at(thread, at)->begin_ns > begin_ns || call_at(thread, at)->end_ns < end_ns) {
		at = find_later(thread, begin_ns);
		/* calls that begin at the same time: nested ones, the outer last */
		if (at > thread->call_first)
			at--;
	}
	for (; at < thread->call_until; at++) {
		struct join_call *call = call_at(thread, at);
		if (call->begin_ns > end_ns)
			return NULL;
		bool around = call->begin_ns <= begin_ns && call->end_ns >= end_ns;
		bool within = call->begin_ns >= begin_ns && call->end_ns <= end_ns;
		if (!around && (!within || call->taken))
			continue;
		thread->call_hint = at + 1;
		return call;
	}
	return NULL;
}

static int take_api(struct join *join, const struct record *record)
{
	uint32_t at, tid = (uint32_t)record->a;
	struct join_thread *thread = thread_of(join, tid);
	if (thread == NULL || entry_of(join, record->place, &at) < 0)
		return -ENOMEM;
	if (at == JOIN_NOWHERE)
		return 0;
	struct join_entry *entry = &join->table.entries[at];
	unsigned state = join->table.states[at];
	if (state != JOIN_OPERATIONS) {
		bool nested = entry->thread == tid &&
			      fits(entry->begin_ns, entry->end_ns, record->begin, record->end);
		if (nested && state != JOIN_UNCALLED)
			return 0;
		if (!nested) { /* the id has come again */
			if (state == JOIN_API && give_up(join, at, JOIN_UNCALLED) < 0)
				return -ENOMEM;
			join_table_take(&join->table, at, record->place);
		}
	}
	join->counts.apis++;
	entry->thread = tid;
	entry->begin_ns = record->begin;
	entry->end_ns = record->end;
	join->table.states[at] = JOIN_API;
	struct join_call *call = find_call(thread, record->begin, record->end);
	if (call != NULL) {
		call->taken = true;
		return claim(join, at, call->number);
	}
	/* later calls of the thread have come: this one was not recorded */
	if (thread->newest_ns >= record->end && thread->newest_ns > record->begin)
		return give_up(join, at, JOIN_UNCALLED);
	return keep_api(join, thread, record);
}

/* Keep an operation until its call is known. */
static int keep_operation(struct join *join, uint32_t at, const struct record *record)
{
	uint32_t oldest = join_table_make_room(&join->table);
	if (oldest != JOIN_NOWHERE) {
		join->counts.crowded++;
		if (give_up(join, oldest, (enum join_state)join->table.states[oldest]) < 0)
			return -ENOMEM;
	}
	join_table_wait(&join->table, at, record);
	return 0;
}

static int take_operation(struct join *join, const struct record *record)
{
	const struct join_sink *sink = &join->sink;
	uint32_t at = JOIN_NOWHERE;
	bool timed = (record->result >> 16 & DEVICE_NO_TIMES) == 0;
	join->counts.operations++;
	join->counts.untimed += !timed;
	if (record->place != 0 && entry_of(join, record->place, &at) < 0)
		return -ENOMEM;
	if (at == JOIN_NOWHERE)
		return sink->operation(sink->context, JOIN_NO_CALL, record);
	const struct join_entry *entry = &join->table.entries[at];
	unsigned state = join->table.states[at];
	bool earlier =
		timed && state >= JOIN_API && record->begin + CLOCK_SLACK_NS < entry->begin_ns;
	if (state == JOIN_UNCALLED || earlier)
		return sink->operation(sink->context, JOIN_NO_CALL, record);
	if (state != JOIN_CALLED)
		return keep_operation(join, at, record);
	join->counts.matched++;
	return sink->operation(sink->context, entry->call, record);
}

int join_record(struct join *join, const struct record *record)
{
	switch (record->kind) {
	case RECORD_DEVICE_API:
		return take_api(join, record);
	case RECORD_DEVICE_KERNEL:
	case RECORD_DEVICE_COPY:
	case RECORD_DEVICE_SET:
		return take_operation(join, record);
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
	for (uint32_t i = 0; i < JOIN_ENTRIES; i++)
		if (join_table_waits(&join->table, i) && give_up(join, i, JOIN_UNCALLED) < 0)
			return -ENOMEM;
	return 0;
}

void join_set_state(struct join *join, uint64_t ns, enum source_state state)
{
	uint32_t at = join->state_count;
	if (at == JOIN_STATES) { /* the last one stands for all that follow */
		join->states[at - 1].state = state;
		return;
	}
	for (; at > 0 && join->states[at - 1].ns > ns; at--)
		join->states[at] = join->states[at - 1];
	join->states[at] = (struct join_source){.ns = ns, .state = state};
	join->state_count++;
}

bool join_is_active(const struct join *join, uint64_t ns)
{
	uint32_t at = join->state_count;
	if (at == 0)
		return true;
	while (at > 0 && join->states[at - 1].ns > ns)
		at--;
	return at > 0 && join->states[at - 1].state == SOURCE_ACTIVE;
}

uint64_t join_state_ns(
	const struct join *join, enum source_state state, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t sum_ns = 0;
	for (uint32_t i = 0; i < join->state_count; i++) {
		uint64_t from = join->states[i].ns, to = end_ns;
		if (join->states[i].state != (uint32_t)state)
			continue;
		if (i + 1 < join->state_count && join->states[i + 1].ns < to)
			to = join->states[i + 1].ns;
		if (from < begin_ns)
			from = begin_ns;
		if (to > from)
			sum_ns += to - from;
	}
	return sum_ns;
}
