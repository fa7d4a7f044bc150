/* SPDX-License-Identifier: MIT */
#include "analyzer/read/live.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/name.h"
#include "collector/format/loss.h"
#include "collector/format/suffix.h"

enum step {
	STEP_THREAD,
	STEP_LOST,
	STEP_RECORDS
};

/* NAME.live for NAME.msgpack.zst and NAME.live; false: the name is neither. */
static bool live_path(const char *path, char *ret_path, size_t size)
{
	size_t stem;
	if (name_parse(path, &stem) == NAME_OTHER)
		return false;
	return (size_t)snprintf(ret_path, size, "%.*s" SUFFIX_LIVE, (int)stem, path) < size;
}

int reader_live_open(struct reader_live *live, const char *path, uint32_t pid)
{
	char name[PATH_MAX];
	*live = (struct reader_live){0};
	if (!live_path(path, name, sizeof(name)))
		return 0;
	int err = recover_open(name, pid, &live->recover);
	live->gone = err == -ESTALE;
	if (err < 0)
		return err == -ENOMEM ? err : 0;
	unsigned count = recover_ring_count(live->recover);
	live->heads = calloc(count + 1, sizeof(*live->heads));
	live->records = malloc(CODEC_BLOCK_LIMIT * sizeof(*live->records));
	if (live->heads == NULL || live->records == NULL) {
		reader_live_close(live);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < count; i++) {
		struct live_ring ring;
		if (recover_ring(live->recover, i, &ring))
			live->heads[i] = ring.head;
	}
	return 0;
}

void reader_live_close(struct reader_live *live)
{
	recover_close(live->recover);
	free(live->heads);
	free(live->records);
	*live = (struct reader_live){0};
}

static bool give_thread(struct reader_live *live, const struct live_ring *ring,
	const struct definitions *definitions, struct item *ret_item)
{
	if (definitions_thread(definitions, ring->thread) != NULL)
		return false;
	memcpy(live->name, ring->name, sizeof(live->name));
	*ret_item = (struct item){.type = ITEM_META};
	ret_item->meta.kind = META_THREAD;
	ret_item->meta.u.thread = (struct meta_THREAD){ring->thread, ring->tid, live->name};
	return true;
}

static bool give_lost(
	const struct reader_live *live, const struct live_ring *ring, struct item *ret_item)
{
	if (ring->lost <= ring->lost_taken)
		return false;
	*ret_item = (struct item){.type = ITEM_META};
	ret_item->meta.kind = META_LOST;
	ret_item->meta.u.lost = (struct meta_LOST){ring->thread, ring->lost - ring->lost_taken,
		loss_text(LOSS_RING_FULL), recover_ns(live->recover, ring->lost_first_ticks),
		recover_ns(live->recover, ring->lost_last_ticks)};
	return true;
}

/* Events without a ring, once. */
static void give_unowned(struct reader_live *live, struct item *ret_item)
{
	struct live_unowned unowned;
	if (live->recover == NULL || live->told_unowned)
		return;
	live->told_unowned = true;
	recover_unowned(live->recover, &unowned);
	if (unowned.count == 0)
		return;
	uint64_t first = unowned.first_ticks != 0 ? unowned.first_ticks : unowned.last_ticks;
	*ret_item = (struct item){.type = ITEM_META};
	ret_item->meta.kind = META_LOST;
	ret_item->meta.u.lost = (struct meta_LOST){0, unowned.count, loss_text(LOSS_NO_MEMORY),
		recover_ns(live->recover, first), recover_ns(live->recover, unowned.last_ticks)};
}

/* Records of kinds that do not exist come from a slot that never was a record: left out. */
static unsigned keep_known(struct record *records, unsigned count)
{
	unsigned kept = 0;
	while (kept < count && records[kept].kind < RECORD_KIND_LIMIT &&
		record_kinds[records[kept].kind].name != NULL)
		kept++;
	return kept;
}

static bool give_records(const struct reader_live *live, const struct ledger *ledger,
	const struct live_ring *ring, struct item *ret_item)
{
	uint64_t first = 0;
	uint64_t next = ledger_next_event(ledger, ring->thread);
	/* no further than it was when it was opened: the thread may be faster than we are */
	uint64_t until = live->heads[live->ring];
	unsigned count = next >= until ? 0
				       : recover_records(live->recover, live->ring, next,
						 live->records, CODEC_BLOCK_LIMIT, &first);
	if (count > 0 && first + count > until)
		count = first < until ? (unsigned)(until - first) : 0;
	bool running = ring->head != until;
	/* behind a gap, with the process running on: those before are in a frame yet to come */
	if (running && next != 0 && first > next && first > ring->first_sequence_of_thread)
		return false;
	count = keep_known(live->records, count);
	*ret_item = (struct item){.type = ITEM_EVENTS,
		.thread = ring->thread,
		.first_sequence = first,
		.records = live->records,
		.count = count};
	return count > 0;
}

void reader_live_next(struct reader_live *live, const struct ledger *ledger,
	const struct definitions *definitions, struct item *ret_item)
{
	unsigned count = live->recover == NULL ? 0 : recover_ring_count(live->recover);
	*ret_item = (struct item){.type = ITEM_END};
	while (live->ring < count) {
		struct live_ring ring;
		bool given = false;
		if (!recover_ring(live->recover, live->ring, &ring)) {
			live->ring++;
			live->step = STEP_THREAD;
			continue;
		}
		if (live->step == STEP_THREAD)
			given = give_thread(live, &ring, definitions, ret_item);
		else if (live->step == STEP_LOST)
			given = give_lost(live, &ring, ret_item);
		else
			given = give_records(live, ledger, &ring, ret_item);
		if (live->step < STEP_RECORDS) {
			live->step++;
		} else if (!given) {
			live->ring++;
			live->step = STEP_THREAD;
		}
		if (given)
			return;
	}
	give_unowned(live, ret_item);
}
