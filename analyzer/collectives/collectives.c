/* SPDX-License-Identifier: MIT */
#include "analyzer/collectives/collectives.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/collectives/traffic.h"
#include "collector/format/fields.h"

#define SMALLEST   1024u
#define SCALE_MOST 15u
#define NO_ROW     UINT32_MAX

struct collectives *collectives_new(const struct lookup *lookup, size_t arrivals)
{
	struct collectives *collectives = calloc(1, sizeof(*collectives));
	if (collectives != NULL)
		*collectives = (struct collectives){.lookup = *lookup, .arrivals_most = arrivals};
	return collectives;
}

static void release(struct collectives *collectives)
{
	opname_release(&collectives->names);
	projection_release(&collectives->kernels);
	vec_release(&collectives->rows);
	vec_release(&collectives->threads);
	vec_release(&collectives->arrivals);
	circle_release(&collectives->waiting);
}

void collectives_free(struct collectives *collectives)
{
	if (collectives == NULL)
		return;
	release(collectives);
	free(collectives);
}

void collectives_restart(struct collectives *collectives)
{
	release(collectives);
	*collectives = (struct collectives){
		.lookup = collectives->lookup, .arrivals_most = collectives->arrivals_most};
}

void collectives_recount(struct collectives *collectives)
{
	VEC_FOREACH (arrival, &collectives->arrivals)
		arrival->step = COLLECTIVES_NO_STEP;
}

static bool same_key(const struct collectives_key *a, const struct collectives_key *b)
{
	return a->communicator == b->communicator && a->ranks == b->ranks && a->what == b->what &&
	       a->scale == b->scale;
}

/* Index of the row of a key, NO_ROW: no memory. */
static uint32_t row_of(struct collectives *collectives, struct collectives_key key)
{
	size_t count = collectives->rows.count;
	for (size_t i = 0; i < count; i++)
		if (same_key(&collectives->rows.items[i].key, &key))
			return (uint32_t)i;
	if (count == COLLECTIVES_ROWS - 1)
		key = (struct collectives_key){0};
	if (count == COLLECTIVES_ROWS)
		return COLLECTIVES_ROWS - 1;
	const struct collectives_row row = {.key = key};
	return vec_push(&collectives->rows, row) < 0 ? NO_ROW : (uint32_t)count;
}

static uint8_t scale_of(uint64_t size)
{
	unsigned scale = 0;
	while (scale < SCALE_MOST && size > (uint64_t)SMALLEST << 2 * scale)
		scale++;
	return (uint8_t)scale;
}

static struct collectives_thread *thread_of(struct collectives *collectives, uint32_t id)
{
	VEC_FOREACH (thread, &collectives->threads)
		if (thread->id == id)
			return thread;
	const struct collectives_thread fresh = {.id = id};
	return vec_push(&collectives->threads, fresh) < 0
		       ? NULL
		       : &collectives->threads.items[collectives->threads.count - 1];
}

static void settle(struct collectives *collectives, const struct collectives_entry *entry)
{
	struct collectives_row *row = &collectives->rows.items[entry->row];
	const struct projection_sum sum =
		projection_of(&collectives->kernels, entry->thread, entry->begin_ns, entry->end_ns);
	if (sum.operations == 0)
		return;
	uint64_t ns = sum.last_ns - sum.first_ns;
	row->device.entries++;
	row->device.ns += ns;
	row->device.bytes += entry->size;
	row->device.bus_bytes += entry->bus_bytes;
	row->most_ns = ns > row->most_ns ? ns : row->most_ns;
	for (size_t i = entry->arrivals_from; i < entry->arrivals_until; i++)
		if (collectives->arrivals.items[i].thread == entry->thread)
			collectives->arrivals.items[i].device_ns = sum.first_ns;
}

static void settle_oldest(struct collectives *collectives)
{
	settle(collectives, circle_at(&collectives->waiting, collectives->waiting.first++));
}

/* Only transfers: a rank sends and receives at the same time. */
static uint64_t size_of(const struct collectives_open *open)
{
	return open->size + (open->sent > open->received ? open->sent : open->received);
}

/* What is open is launched by a call from begin_ns to end_ns. */
static int close_entry(struct collectives *collectives, struct collectives_thread *thread,
	uint64_t begin_ns, uint64_t end_ns)
{
	struct collectives_open open = thread->open;
	thread->open = (struct collectives_open){0};
	uint64_t size = size_of(&open);
	open.key.scale = scale_of(size);
	uint32_t index = row_of(collectives, open.key);
	if (index == NO_ROW)
		return -ENOMEM;
	struct collectives_row *row = &collectives->rows.items[index];
	row->calls += open.calls;
	row->entries++;
	row->host_ns += open.host_ns;
	row->bytes += size;
	row->bus_unknown |= open.bus_unknown;
	for (size_t i = open.arrivals; i < collectives->arrivals.count; i++)
		if (collectives->arrivals.items[i].thread == thread->id)
			collectives->arrivals.items[i].row = index;
	const struct collectives_entry entry = {.row = index,
		.thread = thread->id,
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.size = size,
		.bus_bytes = open.bus_bytes + size - open.size,
		.arrivals_from = open.arrivals,
		.arrivals_until = collectives->arrivals.count};
	if (circle_count(&collectives->waiting) >= COLLECTIVES_WAITING)
		settle_oldest(collectives);
	return circle_push(&collectives->waiting, entry);
}

static uint64_t length_of(const struct record *record)
{
	return record->end > record->begin ? record->end - record->begin : 0;
}

/* What all calls of an entry agree on. */
static void mix(struct collectives_open *open, const struct collectives_key *key)
{
	if (open->calls == 0) {
		open->key = *key;
		return;
	}
	uint8_t a = open->key.what, b = key->what;
	bool transfers =
		(a == COLLECTIVE_SEND || a == COLLECTIVE_RECEIVE || a == COLLECTIVES_TRANSFERS) &&
		(b == COLLECTIVE_SEND || b == COLLECTIVE_RECEIVE);
	if (a != b)
		open->key.what = transfers ? COLLECTIVES_TRANSFERS : COLLECTIVES_MIXED;
	if (open->key.communicator != key->communicator)
		open->key.communicator = 0;
	if (open->key.ranks != key->ranks)
		open->key.ranks = 0;
}

static void add_bytes(struct collectives_open *open, const struct record *call)
{
	enum collective_what what = record_COLLECTIVE_what(call);
	uint64_t ranks = record_COLLECTIVE_ranks(call), bytes = record_COLLECTIVE_bytes(call);
	uint64_t bus = 0;
	if (what == COLLECTIVE_SEND)
		open->sent += bytes;
	else if (what == COLLECTIVE_RECEIVE)
		open->received += bytes;
	else if (traffic_size(what, ranks, bytes, &bytes) && traffic_bus(what, ranks, bytes, &bus))
		open->size += bytes;
	else
		open->bus_unknown = true;
	open->bus_bytes += bus;
}

static int arrive(
	struct collectives *collectives, uint64_t step, uint32_t thread, const struct record *call)
{
	enum collective_what what = record_COLLECTIVE_what(call);
	if (what == COLLECTIVE_SEND || what == COLLECTIVE_RECEIVE || call->name == 0 ||
		record_COLLECTIVE_number(call) == 0 || record_COLLECTIVE_ranks(call) < 2 ||
		collectives->arrivals.count >= collectives->arrivals_most)
		return 0;
	const struct collectives_arrival arrival = {.communicator = call->name,
		.number = record_COLLECTIVE_number(call),
		.step = step < COLLECTIVES_NO_STEP ? (uint32_t)step : COLLECTIVES_NO_STEP,
		.host_ns = call->begin,
		.row = NO_ROW,
		.thread = thread,
		.rank = record_COLLECTIVE_rank(call),
		.ranks = record_COLLECTIVE_ranks(call)};
	return vec_push(&collectives->arrivals, arrival);
}

static bool is_done(const struct record *call)
{
	return call->result == 0 || call->result == COLLECTIVE_IN_PROGRESS;
}

/* It failed, or will run with its graph: told in the row that it would have had. */
static int count_aside(struct collectives *collectives, const struct record *call,
	const struct collectives_key *key)
{
	struct collectives_open open = {.key = *key};
	add_bytes(&open, call);
	open.key.scale = scale_of(size_of(&open));
	uint32_t index = row_of(collectives, open.key);
	if (index == NO_ROW)
		return -ENOMEM;
	if (is_done(call))
		collectives->rows.items[index].captured++;
	else
		collectives->rows.items[index].failed++;
	return 0;
}

static int move(struct collectives *collectives, uint64_t step, struct collectives_thread *thread,
	const struct record *call)
{
	unsigned flags = record_COLLECTIVE_flags(call);
	const struct collectives_key key = {.communicator = call->name,
		.ranks = record_COLLECTIVE_ranks(call),
		.what = (uint8_t)record_COLLECTIVE_what(call)};
	if (!is_done(call) || (flags & COLLECTIVE_CAPTURED) != 0)
		return count_aside(collectives, call, &key);
	/* a group whose end was not recorded */
	if ((flags & COLLECTIVE_GROUPED) == 0 && thread->open.calls > 0 &&
		close_entry(collectives, thread, 0, 0) < 0)
		return -ENOMEM;
	if (thread->open.calls == 0)
		thread->open.arrivals = collectives->arrivals.count;
	mix(&thread->open, &key);
	add_bytes(&thread->open, call);
	thread->open.calls++;
	thread->open.host_ns += length_of(call);
	int err = arrive(collectives, step, thread->id, call);
	if (err < 0 || (flags & COLLECTIVE_GROUPED) != 0)
		return err;
	return close_entry(collectives, thread, call->begin, call->end);
}

/* Nothing of what was called in the group ran. */
static int drop(struct collectives *collectives, struct collectives_thread *thread)
{
	struct collectives_open *open = &thread->open;
	open->key.scale = scale_of(size_of(open));
	uint32_t index = row_of(collectives, open->key);
	if (index == NO_ROW)
		return -ENOMEM;
	collectives->rows.items[index].failed += open->calls;
	*open = (struct collectives_open){0};
	return 0;
}

int collectives_call(
	struct collectives *collectives, uint64_t step, uint32_t id, const struct record *call)
{
	enum collective_what what = record_COLLECTIVE_what(call);
	struct collectives_thread *thread = thread_of(collectives, id);
	if (thread == NULL)
		return -ENOMEM;
	if (what >= COLLECTIVE_ALL_REDUCE && what <= COLLECTIVE_MOVES)
		return move(collectives, step, thread, call);
	if (what == COLLECTIVE_SIMULATED)
		thread->open = (struct collectives_open){0};
	if (what != COLLECTIVE_GROUP || thread->open.calls == 0)
		return 0;
	if (!is_done(call))
		return drop(collectives, thread);
	thread->open.host_ns += length_of(call);
	return close_entry(collectives, thread, call->begin, call->end);
}

int collectives_kernel(struct collectives *collectives, uint32_t thread, const struct record *call,
	const struct record *kernel)
{
	unsigned class = opname_get(&collectives->names, &collectives->lookup, kernel->name);
	if (kernel->kind != RECORD_DEVICE_KERNEL || (class & OPCLASS_COMM) == 0 ||
		(record_device_flags(kernel) & DEVICE_NO_TIMES) != 0)
		return 0;
	return projection_add(
		&collectives->kernels, thread, call->begin, kernel->begin, kernel->end);
}

int collectives_finish(struct collectives *collectives)
{
	int err = 0;
	VEC_FOREACH (thread, &collectives->threads)
		if (thread->open.calls > 0 && err == 0)
			err = close_entry(collectives, thread, 0, 0);
	while (circle_count(&collectives->waiting) > 0)
		settle_oldest(collectives);
	return err;
}
