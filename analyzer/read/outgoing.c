/* SPDX-License-Identifier: MIT */
#include "analyzer/read/outgoing.h"

#include <errno.h>
#include <stdlib.h>

void outgoing_init(struct outgoing *outgoing)
{
	*outgoing = (struct outgoing){.to_ns = UINT64_MAX};
}

void outgoing_release(struct outgoing *outgoing)
{
	recent_free(outgoing->recent);
	free(outgoing->records);
}

bool outgoing_has_window(const struct outgoing *outgoing)
{
	return outgoing->from_ns != 0 || outgoing->to_ns != UINT64_MAX;
}

/* Room for the records of a block. */
static bool has_room(struct outgoing *outgoing)
{
	if (outgoing->records == NULL)
		outgoing->records = malloc(CODEC_BLOCK_LIMIT * sizeof(*outgoing->records));
	return outgoing->records != NULL;
}

/* One matched record. False: its call is not known. */
static bool complete(
	struct outgoing *outgoing, const struct record *from, struct record *ret_record)
{
	*ret_record = *from;
	codec_match(ret_record, 0, 0);
	return recent_times(
		outgoing->recent, from->name, from->b, &ret_record->begin, &ret_record->end);
}

/* Nothing is about a call before the source has begun, which many never do. */
static bool source_begins(const struct item *item)
{
	return item->matched || (item->count > 0 && item->records[0].kind == RECORD_SOURCE_STATE);
}

static int complete_all(struct outgoing *outgoing, struct item *item)
{
	if (outgoing->recent == NULL && !source_begins(item))
		return 0;
	if (outgoing->recent == NULL)
		outgoing->recent = recent_new();
	if (outgoing->recent == NULL || !has_room(outgoing))
		return -ENOMEM;
	if (!item->matched) {
		/* where some are of kinds that are not known, numbers are not either */
		if (item->next_sequence - item->first_sequence == item->count)
			recent_note(outgoing->recent, item->thread, 0, item->first_sequence,
				item->records, item->count);
		return 0;
	}
	unsigned kept = 0;
	for (unsigned i = 0; i < item->count; i++)
		kept += complete(outgoing, &item->records[i], &outgoing->records[kept]);
	outgoing->unknown += item->count - kept;
	item->records = outgoing->records;
	item->count = kept;
	return 0;
}

/* A state holds from its time on, also in a window behind it. */
static bool is_wanted(const struct outgoing *outgoing, const struct record *record)
{
	bool before = record->end < outgoing->from_ns;
	return record->begin <= outgoing->to_ns && (!before || record->kind == RECORD_SOURCE_STATE);
}

static int cut_down(struct outgoing *outgoing, struct item *item)
{
	if (!has_room(outgoing))
		return -ENOMEM;
	unsigned kept = 0;
	for (unsigned i = 0; i < item->count; i++)
		if (is_wanted(outgoing, &item->records[i]))
			outgoing->records[kept++] = item->records[i];
	item->records = outgoing->records;
	item->count = kept;
	return 0;
}

int outgoing_take(struct outgoing *outgoing, struct item *item)
{
	int err = complete_all(outgoing, item);
	if (err == 0 && outgoing_has_window(outgoing))
		err = cut_down(outgoing, item);
	return err;
}
