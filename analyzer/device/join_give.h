/* SPDX-License-Identifier: MIT */
/*
 * What becomes of an operation: it is told with the call of its entry (join_table.h), or without
 * one once that is given up. Part of join.h. Entries are named by their index. Functions return 0
 * or -ENOMEM. Not thread-safe.
 */
#ifndef ANALYZER_JOIN_GIVE_H
#define ANALYZER_JOIN_GIVE_H

#include "analyzer/device/join_state.h"
#include "collector/format/fields.h"

static inline bool join_has_times(const struct record *operation)
{
	return (record_device_flags(operation) & DEVICE_NO_TIMES) == 0;
}

/* An operation of an entry that has no call, or none that is known yet. */
int join_tell_alone(struct join *join, uint32_t at, const struct record *record);

/* What waits with an entry, and what comes later, has no call that is known. */
int join_give_up(struct join *join, uint32_t at, enum join_state state);

/* What was given up of an entry has a call after all. */
void join_claim_early(struct join *join, uint32_t at, uint64_t call);

/* The call of an entry that waits for it (JOIN_API) is known: it gets what waits. */
static inline __attribute__((always_inline)) int join_claim(
	struct join *join, uint32_t at, uint64_t call)
{
	struct join_table *table = &join->table;
	struct join_entry *entry = &table->entries[at];
	const struct record *record;
	int err = 0;
	if (__builtin_expect(entry->early != 0, 0))
		join_claim_early(join, at, call);
	while (err == 0 && (record = join_wait_next(&join->wait, entry)) != NULL) {
		join->counts.matched++;
		err = join->sink.operation(join->sink.context, call, record);
	}
	table->states[at] = JOIN_CALLED;
	entry->call = call;
	return err;
}

#endif
