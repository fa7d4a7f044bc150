/* SPDX-License-Identifier: MIT */
#include "collector/codec/codec.h"
#include "collector/codec/layout.h"
#include "collector/codec/matched.h"
#include "collector/codec/meta.h"
#include "collector/codec/schema.h"
#include "collector/codec/unpack.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/banned.h"

#define EXTRA_LIMIT (CODEC_BLOCK_LIMIT * FORMAT_COLUMN_LIMIT)
_Static_assert(FORMAT_COLUMN_LIMIT >= 4, "the columns of a matched block have room");

struct decoder {
	const uint8_t *begin;
	struct unpack unpack;
	bool damaged; /* the rest of the frame is given up */
	uint64_t skipped;
	struct record *(*room)(void *context, unsigned count); /* NULL: records */
	void *room_context;
	struct schema schema;
	struct meta_texts texts;
	int64_t site[CODEC_BLOCK_LIMIT];
	int64_t end[CODEC_BLOCK_LIMIT];
	int64_t dur[CODEC_BLOCK_LIMIT];
	int64_t extra[EXTRA_LIMIT]; /* also the columns of a matched block */
	struct record records[CODEC_BLOCK_LIMIT];
};

/* What a block's map contained; columns are in the decoder. */
struct parts {
	uint64_t thread, first, count;
	unsigned present; /* enum part bits */
	uint32_t extra_count;
};

enum part {
	PART_THREAD = 1 << 0,
	PART_FIRST = 1 << 1,
	PART_COUNT = 1 << 2,
	PART_KINDS = 1 << 3,
	PART_SITES = 1 << 4,
	PART_SITE = 1 << 5,
	PART_END = 1 << 6,
	PART_DUR = 1 << 7,
	PART_EXTRA = 1 << 8,
	PART_NEEDED = PART_THREAD | PART_FIRST | PART_COUNT | PART_SITE | PART_END | PART_DUR,
};

static const struct part_name {
	const char *name;
	enum part part;
} part_names[] = {
	{"thread", PART_THREAD},
	{"first", PART_FIRST},
	{"count", PART_COUNT},
	{"kinds", PART_KINDS},
	{"sites", PART_SITES},
	{"site", PART_SITE},
	{"end", PART_END},
	{"dur", PART_DUR},
	{"extra", PART_EXTRA},
};

struct decoder *decoder_new(void)
{
	struct decoder *decoder = malloc(sizeof(*decoder));
	if (decoder == NULL)
		return NULL;
	if (!schema_init(&decoder->schema)) {
		free(decoder);
		return NULL;
	}
	decoder->skipped = 0;
	decoder->room = NULL;
	decoder_feed(decoder, "", 0);
	return decoder;
}

void decoder_hand_on(struct decoder *decoder, struct record *(*room)(void *context, unsigned count),
	void *context)
{
	decoder->room = room;
	decoder->room_context = context;
}

void decoder_free(struct decoder *decoder)
{
	if (decoder == NULL)
		return;
	schema_release(&decoder->schema);
	free(decoder);
}

void decoder_feed(struct decoder *decoder, const void *bytes, size_t size)
{
	decoder->begin = bytes;
	decoder->damaged = false;
	unpack_init(&decoder->unpack, bytes, size);
	schema_clear(&decoder->schema);
}

uint64_t decoder_skipped(const struct decoder *decoder)
{
	return decoder->skipped;
}

static int give_up(struct decoder *decoder, struct err_at *reterr, const char *what)
{
	decoder->damaged = true;
	return err_place(
		reterr, -ERR_DAMAGED, (uint64_t)(decoder->unpack.next - decoder->begin), what);
}

static unsigned find_part(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(part_names) / sizeof(part_names[0]); i++)
		if (strlen(part_names[i].name) == length &&
			memcmp(part_names[i].name, name, length) == 0)
			return part_names[i].part;
	return 0;
}

static bool read_number(struct unpack *unpack, uint64_t *ret_number)
{
	int64_t number;
	if (!unpack_int(unpack, &number))
		return false;
	*ret_number = (uint64_t)number;
	return true;
}

/* An array of exactly count integers; count must have come before. */
static bool read_column(struct decoder *decoder, const struct parts *parts, int64_t *ret_values)
{
	uint32_t count;
	return (parts->present & PART_COUNT) != 0 && unpack_array(&decoder->unpack, &count) &&
	       count == parts->count && unpack_ints(&decoder->unpack, count, ret_values);
}

static bool read_extra(struct decoder *decoder, struct parts *parts)
{
	return unpack_array(&decoder->unpack, &parts->extra_count) &&
	       parts->extra_count <= EXTRA_LIMIT &&
	       unpack_ints(&decoder->unpack, parts->extra_count, decoder->extra);
}

static bool read_part(struct decoder *decoder, struct parts *parts, unsigned part)
{
	struct unpack *unpack = &decoder->unpack;
	switch (part) {
	case PART_THREAD:
		return read_number(unpack, &parts->thread) && parts->thread <= UINT32_MAX;
	case PART_FIRST:
		return read_number(unpack, &parts->first);
	case PART_COUNT:
		return read_number(unpack, &parts->count) && parts->count <= CODEC_BLOCK_LIMIT;
	case PART_KINDS:
		return schema_read_kinds(&decoder->schema, unpack);
	case PART_SITES:
		return schema_read_sites(&decoder->schema, unpack);
	case PART_SITE:
		return read_column(decoder, parts, decoder->site);
	case PART_END:
		return read_column(decoder, parts, decoder->end);
	case PART_DUR:
		return read_column(decoder, parts, decoder->dur);
	case PART_EXTRA:
		return read_extra(decoder, parts);
	default:
		return unpack_skip(unpack);
	}
}

static bool read_parts(struct decoder *decoder, uint32_t pairs, struct parts *parts)
{
	for (; pairs > 0; pairs--) {
		const char *name;
		size_t length;
		if (!unpack_text(&decoder->unpack, &name, &length))
			return false;
		unsigned part = find_part(name, length);
		if ((parts->present & part) != 0 || !read_part(decoder, parts, part))
			return false;
		parts->present |= part;
	}
	return (parts->present & PART_NEEDED) == PART_NEEDED;
}

/* Add the columns of one event to record. */
static inline void take_columns(
	struct schema_kind *kind, const int64_t *extra, struct record *record)
{
	for (unsigned i = 0; i < kind->column_count; i++) {
		kind->last[i] += (uint64_t)extra[i];
		schema_set(record, &kind->column[i], kind->last[i]);
	}
}

/* Times of event i; the first of a block says nothing about its site's gap. */
static inline void take_times(struct decoder *decoder, uint32_t i, struct means *means,
	uint64_t previous_end, struct record *record)
{
	uint64_t duration = (uint64_t)means->dur.value + (uint64_t)decoder->dur[i];
	record->end = previous_end + (uint64_t)decoder->end[i];
	if (i > 0) {
		record->end += (uint64_t)means->gap.value;
		mean_update(&means->gap, decoder->end[i]);
	}
	record->begin = record->end - duration;
	mean_update(&means->dur, decoder->dur[i]);
}

/* Columns to records. Returns how many are of a kind that we know, negative if damaged. */
static int build_records(struct decoder *decoder, const struct parts *parts, struct record *records)
{
	struct schema *schema = &decoder->schema;
	uint64_t previous_end = 0, id = 0;
	uint32_t extra = 0;
	int known = 0;
	for (uint32_t i = 0; i < parts->count; i++) {
		id += (uint64_t)decoder->site[i];
		if (id >= schema->site_count)
			return -1;
		struct schema_site *site = &schema->sites[id];
		struct schema_kind *kind = site->kind;
		struct record *record = &records[known];
		*record = site->record;
		take_times(decoder, i, &site->means, previous_end, record);
		previous_end = record->end;
		if (kind->column_count > parts->extra_count - extra)
			return -1;
		take_columns(kind, &decoder->extra[extra], record);
		extra += kind->column_count;
		known += kind->known;
	}
	return extra == parts->extra_count ? known : -1;
}

static struct record *room_for(struct decoder *decoder, unsigned count)
{
	if (decoder->room == NULL)
		return decoder->records;
	return decoder->room(decoder->room_context, count);
}

static int read_events(
	struct decoder *decoder, uint32_t pairs, struct item *ret_item, struct err_at *reterr)
{
	struct parts parts = {0};
	if (!read_parts(decoder, pairs, &parts))
		return give_up(decoder, reterr, "event block");
	struct record *records = room_for(decoder, (unsigned)parts.count);
	int known = records != NULL ? build_records(decoder, &parts, records) : -1;
	if (known < 0)
		return give_up(decoder, reterr, "columns of an event block");
	decoder->skipped += parts.count - (uint64_t)known;
	*ret_item = (struct item){
		.type = ITEM_EVENTS,
		.thread = (uint32_t)parts.thread,
		.first_sequence = parts.first,
		.next_sequence = parts.first + parts.count,
		.records = records,
		.count = (unsigned)known,
	};
	return 0;
}

static int read_matched(
	struct decoder *decoder, uint32_t pairs, struct item *ret_item, struct err_at *reterr)
{
	struct matched matched;
	if (!matched_unpack(&decoder->unpack, pairs, decoder->extra, &matched))
		return give_up(decoder, reterr, "matched block");
	struct record *records = room_for(decoder, matched.count);
	if (records == NULL)
		return give_up(decoder, reterr, "matched block");
	matched_records(&matched, records);
	*ret_item = (struct item){
		.type = ITEM_EVENTS,
		.thread = matched.thread,
		.first_sequence = matched.first,
		.next_sequence = matched.first + matched.count,
		.records = records,
		.count = matched.count,
		.matched = true,
	};
	return 0;
}

/* One map of the stream. Returns 1 with an item, 0 if it was skipped, or a negative code. */
static int read_map(struct decoder *decoder, struct item *ret_item, struct err_at *reterr)
{
	struct unpack *unpack = &decoder->unpack;
	const uint8_t *begin = unpack->next;
	uint32_t pairs;
	const char *key, *name;
	size_t key_length, length;
	if (!unpack_map(unpack, &pairs) || pairs == 0 || !unpack_text(unpack, &key, &key_length) ||
		key_length != 1 || key[0] != 't' || !unpack_text(unpack, &name, &length))
		return give_up(decoder, reterr, "map");
	pairs--;
	if (length == 6 && memcmp(name, "events", 6) == 0) {
		int error = read_events(decoder, pairs, ret_item, reterr);
		return error != 0 ? error : 1;
	}
	if (length == 7 && memcmp(name, "matched", 7) == 0) {
		int error = read_matched(decoder, pairs, ret_item, reterr);
		return error != 0 ? error : 1;
	}
	enum meta_kind kind = meta_kind_find(name, length);
	if (kind != META_NONE && decoder->room == NULL) {
		ret_item->type = ITEM_META;
		if (!meta_unpack(unpack, kind, pairs, &decoder->texts, &ret_item->meta))
			return give_up(decoder, reterr, "definition");
		return 1;
	}
	decoder->skipped += kind == META_NONE;
	for (uint64_t values = 2ull * pairs; values > 0; values--)
		if (!unpack_skip(unpack))
			return give_up(decoder, reterr, "map that is passed over");
	if (kind == META_NONE)
		return 0;
	ret_item->type = ITEM_RAW;
	ret_item->raw = begin;
	ret_item->raw_bytes = (size_t)(unpack->next - begin);
	return 1;
}

int decoder_next(struct decoder *decoder, struct item *ret_item, struct err_at *reterr)
{
	*ret_item = (struct item){.type = ITEM_END};
	if (decoder->damaged)
		return give_up(decoder, reterr, "rest of a damaged frame");
	while (unpack_left(&decoder->unpack) > 0) {
		int result = read_map(decoder, ret_item, reterr);
		if (result != 0)
			return result < 0 ? result : 0;
	}
	return 0;
}
