/* SPDX-License-Identifier: MIT */
/*
 * Calls that make the device work, the last ones of each thread, so that what the device's side
 * says of the same call can refer to it instead of repeating it (FORMAT.md, "matched" blocks). The
 * writer finds a call by its time, the reader by its number. Both note the events of a file in the
 * file's order, and whoever notes more than the other finds at least as much: a thread has the
 * place that its id says, and the last RECENT_CALLS calls there are kept.
 *
 * Memory of a place is touched when it is used. Not thread-safe.
 */
#ifndef COLLECTOR_FORMAT_RECENT_H
#define COLLECTOR_FORMAT_RECENT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/record.h"

#define RECENT_THREADS 64u
#define RECENT_CALLS   8192u
#define RECENT_TIDS    256u /* remembered by their lowest bits */

struct recent_call {
	uint64_t begin_ns, end_ns, number;
};

struct recent_place {
	uint32_t thread, tid;  /* 0: nobody's */
	uint64_t first, until; /* positions of the calls that are kept */
	uint64_t hint;         /* of the call that was found last */
};

struct recent {
	uint64_t since_ns;
	uint8_t by_tid[RECENT_TIDS]; /* place */
	struct recent_place places[RECENT_THREADS];
	struct recent_call calls[RECENT_THREADS][RECENT_CALLS];
};

struct recent *recent_new(void); /* NULL when out of memory */
void recent_free(struct recent *recent);

/* No call is known any more. */
void recent_clear(struct recent *recent);

/* Only calls that began at ns or later are found by their time. */
void recent_since(struct recent *recent, uint64_t ns);

/* Records of a thread, in the order of their ends; tid: the system's id, 0: not looked for. */
void recent_note(struct recent *recent, uint32_t thread, uint32_t tid, uint64_t first,
	const struct record *records, unsigned count);

/* As recent_at(), far from the one that was found last. */
const struct recent_call *recent_search(
	struct recent *recent, struct recent_place *place, uint64_t begin_ns, uint64_t end_ns);

static inline bool recent_covers(const struct recent_call *call, uint64_t begin_ns, uint64_t end_ns)
{
	return call->begin_ns <= begin_ns && end_ns <= call->end_ns;
}

/* The call of the system's thread that was in progress from begin to end; NULL: none is known. */
static inline const struct recent_call *recent_at(struct recent *recent, uint64_t tid,
	uint64_t begin_ns, uint64_t end_ns, uint32_t *ret_thread)
{
	unsigned number = recent->by_tid[tid % RECENT_TIDS];
	struct recent_place *place = &recent->places[number];
	if (place->tid != tid || tid == 0)
		return NULL;
	/* mostly the next one, or the same one */
	uint64_t at = place->hint + 1;
	const struct recent_call *call = &recent->calls[number][at % RECENT_CALLS];
	if (at < place->until && at > place->first && recent_covers(call, begin_ns, end_ns))
		place->hint = at;
	else
		call = recent_search(recent, place, begin_ns, end_ns);
	*ret_thread = place->thread;
	return call != NULL && call->begin_ns >= recent->since_ns ? call : NULL;
}

/* From when to when a thread's call of that number was in progress. */
bool recent_times(struct recent *recent, uint32_t thread, uint64_t number, uint64_t *ret_begin_ns,
	uint64_t *ret_end_ns);

#endif
