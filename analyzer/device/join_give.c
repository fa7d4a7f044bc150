/* SPDX-License-Identifier: MIT */
#include "analyzer/device/join_give.h"

#include <errno.h>

/* An operation without a call: what kind of one. */
enum alone {
	ALONE, /* there is no such call, as far as the trace says */
	ALONE_AWAY,
	ALONE_LATE
};

static enum alone tell(struct join *join, uint32_t at, const struct record *record, int *ret_err)
{
	unsigned state = join->table.states[at];
	enum alone alone = ALONE;
	/* only the interface's record would say which call, and that was not to be expected */
	bool reported = join->table.entries[at].begin_ns != 0;
	if (state == JOIN_FORGOTTEN)
		alone = ALONE_LATE;
	else if (!reported &&
		 source_precedes(&join->source, record->end, record_correlation(record)))
		alone = ALONE_AWAY;
	join->counts.away += alone == ALONE_AWAY;
	join->counts.late += alone == ALONE_LATE;
	*ret_err = join->sink.operation(join->sink.context, JOIN_NO_CALL, record);
	return alone;
}

int join_tell_alone(struct join *join, uint32_t at, const struct record *record)
{
	int err;
	(void)tell(join, at, record, &err);
	return err;
}

int join_give_up(struct join *join, uint32_t at, enum join_state state)
{
	struct join_entry *entry = &join->table.entries[at];
	const struct record *record;
	int err = 0;
	join->table.states[at] = (uint8_t)state;
	while (err == 0 && (record = join_wait_next(&join->wait, entry)) != NULL) {
		struct join_early *early = join_wait_early(&join->wait, entry);
		if (early == NULL)
			return -ENOMEM;
		bool timed = join_has_times(record);
		if (timed && (early->end_ns == 0 || record->begin < early->begin_ns))
			early->begin_ns = record->begin;
		if (timed && record->end > early->end_ns)
			early->end_ns = record->end;
		enum alone alone = tell(join, at, record, &err);
		early->count++;
		early->away += alone == ALONE_AWAY;
		early->late += alone == ALONE_LATE;
	}
	return err;
}

void join_claim_early(struct join *join, uint32_t at, uint64_t call)
{
	struct join_early early;
	join_wait_take_early(&join->wait, &join->table.entries[at], &early);
	join->sink.claimed(join->sink.context, call, early.count, early.begin_ns, early.end_ns);
	join->counts.matched += early.count;
	join->counts.away -= early.away;
	join->counts.late -= early.late;
}
