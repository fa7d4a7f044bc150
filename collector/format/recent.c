/* SPDX-License-Identifier: MIT */
#include "collector/format/recent.h"

#include <string.h>
#include <sys/mman.h>

#include "collector/base/banned.h"

#define KINDS (1u << RECORD_LAUNCH | 1u << RECORD_COPY | 1u << RECORD_SET | 1u << RECORD_GRAPH)

struct recent *recent_new(void)
{
	void *memory = mmap(NULL, sizeof(struct recent), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void recent_free(struct recent *recent)
{
	if (recent != NULL)
		(void)munmap(recent, sizeof(*recent));
}

void recent_clear(struct recent *recent)
{
	memset(recent->by_tid, 0, sizeof(recent->by_tid));
	memset(recent->places, 0, sizeof(recent->places));
}

void recent_since(struct recent *recent, uint64_t ns)
{
	recent->since_ns = ns;
}

static inline struct recent_call *call_at(
	struct recent *recent, const struct recent_place *place, uint64_t at)
{
	return &recent->calls[place - recent->places][at % RECENT_CALLS];
}

static void begin_place(struct recent *recent, uint32_t thread, uint32_t tid)
{
	unsigned number = thread % RECENT_THREADS;
	recent->places[number] = (struct recent_place){.thread = thread, .tid = tid};
	recent->by_tid[tid % RECENT_TIDS] = (uint8_t)number;
}

void recent_note(struct recent *recent, uint32_t thread, uint32_t tid, uint64_t first,
	const struct record *records, unsigned count)
{
	unsigned number = thread % RECENT_THREADS;
	struct recent_place *place = &recent->places[number];
	uint64_t until = place->until;
	for (unsigned i = 0; i < count; i++) {
		const struct record *record = &records[i];
		if (record->kind >= RECORD_KIND_LIMIT || (1u << record->kind & KINDS) == 0)
			continue;
		if (place->thread != thread) {
			begin_place(recent, thread, tid);
			until = 0;
		}
		recent->calls[number][until++ % RECENT_CALLS] =
			(struct recent_call){record->begin, record->end, first + i};
	}
	place->until = until;
	if (until > RECENT_CALLS && place->first < until - RECENT_CALLS)
		place->first = until - RECENT_CALLS;
}

static uint64_t end_of(const struct recent_call *call)
{
	return call->end_ns;
}

static uint64_t number_of(const struct recent_call *call)
{
	return call->number;
}

/* Position of the first call of which it is least or more; it ascends. */
static inline __attribute__((always_inline)) uint64_t search(struct recent *recent,
	const struct recent_place *place, uint64_t (*value_of)(const struct recent_call *),
	uint64_t least)
{
	uint64_t low = place->first, high = place->until;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (value_of(call_at(recent, place, middle)) < least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first call that ends after it is the only one that can be it. */
const struct recent_call *recent_search(
	struct recent *recent, struct recent_place *place, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t at = place->hint;
	if (at < place->first || at >= place->until ||
		!recent_covers(call_at(recent, place, at), begin_ns, end_ns))
		at = search(recent, place, end_of, end_ns);
	const struct recent_call *call = call_at(recent, place, at);
	if (at == place->until || !recent_covers(call, begin_ns, end_ns))
		return NULL;
	place->hint = at;
	return call;
}

bool recent_times(struct recent *recent, uint32_t thread, uint64_t number, uint64_t *ret_begin_ns,
	uint64_t *ret_end_ns)
{
	struct recent_place *place = &recent->places[thread % RECENT_THREADS];
	uint64_t at = place->hint + 1;
	if (place->thread != thread)
		return false;
	if (at < place->first || at >= place->until || call_at(recent, place, at)->number != number)
		at = search(recent, place, number_of, number);
	if (at == place->until || call_at(recent, place, at)->number != number)
		return false;
	place->hint = at;
	*ret_begin_ns = call_at(recent, place, at)->begin_ns;
	*ret_end_ns = call_at(recent, place, at)->end_ns;
	return true;
}
