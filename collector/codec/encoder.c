/* SPDX-License-Identifier: MIT */
#include "collector/codec/codec.h"
#include "collector/codec/columns.h"
#include "collector/codec/layout.h"
#include "collector/codec/matched.h"
#include "collector/codec/meta.h"
#include "collector/codec/pack.h"
#include "collector/codec/sites.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/base/banned.h"

/* A site definition: array header, kind, fields. */
#define SITE_BYTES (3 + (1 + LAYOUT_SITE_LIMIT) * PACK_INT_LIMIT)
/* A kind definition; the names of record.def are short. */
#define KIND_BYTES  (64 + (LAYOUT_SITE_LIMIT + LAYOUT_COLUMN_LIMIT) * 32)
#define INT_BYTES   (CODEC_BLOCK_LIMIT * PACK_INT_LIMIT + PACK_SLACK)
#define EXTRA_BYTES (CODEC_BLOCK_LIMIT * LAYOUT_COLUMN_LIMIT * PACK_INT_LIMIT + PACK_SLACK)

/* Words of a site, compared by twos. */
typedef uint64_t site_pair __attribute__((vector_size(16)));
_Static_assert(LAYOUT_SITE_WORDS % 2 == 0, "words of a site come in pairs");

/* The parts of a block before they are put together. Pages that are not needed are not touched. */
struct scratch {
	uint8_t kinds[RECORD_KIND_LIMIT * KIND_BYTES];
	uint8_t sites[CODEC_BLOCK_LIMIT * SITE_BYTES];
	uint8_t site[INT_BYTES];
	uint8_t end[INT_BYTES];
	uint8_t dur[INT_BYTES];
	uint8_t extra[EXTRA_BYTES];
	uint32_t ids[CODEC_BLOCK_LIMIT];           /* site of each event */
	struct means old_means[CODEC_BLOCK_LIMIT]; /* of that site, before the event */
};

/* State that an event block changes and -ENOSPC must restore. */
struct running {
	uint64_t column[RECORD_KIND_LIMIT][LAYOUT_COLUMN_LIMIT]; /* last value sent */
	uint32_t kinds;                                          /* bit per kind that is defined */
	uint64_t events;
	uint64_t first_ns, last_ns;
};

struct encoder {
	uint8_t *begin, *next, *end;
	uint32_t content;
	struct running running;
	struct sites sites;
	struct scratch *scratch;
	struct layout layout;
};

/* One block on its way into the scratch memory. */
struct block {
	struct pack kinds, sites;
	unsigned kind_count, site_count;
	struct columns columns;
};

struct encoder *encoder_new(void *buffer, size_t capacity)
{
	struct encoder *encoder = calloc(1, sizeof(*encoder));
	if (encoder == NULL)
		return NULL;
	encoder->scratch = malloc(sizeof(*encoder->scratch));
	if (!sites_init(&encoder->sites) || encoder->scratch == NULL) {
		encoder_free(encoder);
		return NULL;
	}
	encoder->begin = buffer;
	encoder->end = encoder->begin + capacity;
	layout_init(&encoder->layout);
	encoder_reset(encoder);
	return encoder;
}

void encoder_free(struct encoder *encoder)
{
	if (encoder == NULL)
		return;
	sites_release(&encoder->sites);
	free(encoder->scratch);
	free(encoder);
}

void encoder_reset(struct encoder *encoder)
{
	encoder->next = encoder->begin;
	encoder->content = 0;
	encoder->running = (struct running){.first_ns = UINT64_MAX};
	sites_clear(&encoder->sites);
}

size_t encoder_size(const struct encoder *encoder)
{
	return (size_t)(encoder->next - encoder->begin);
}

uint32_t encoder_content(const struct encoder *encoder)
{
	return encoder->content;
}

uint64_t encoder_events(const struct encoder *encoder)
{
	return encoder->running.events;
}

uint64_t encoder_first_ns(const struct encoder *encoder)
{
	return encoder->running.first_ns;
}

uint64_t encoder_last_ns(const struct encoder *encoder)
{
	return encoder->running.last_ns;
}

static void define_fields(
	struct pack *pack, const struct record_field *const *fields, unsigned count)
{
	pack_array(pack, count);
	for (unsigned i = 0; i < count; i++) {
		pack_array(pack, 2);
		pack_text(pack, fields[i]->name, FORMAT_TEXT_LIMIT);
		pack_text(pack, layout_type_name(fields[i]->type), FORMAT_TEXT_LIMIT);
	}
}

static void define_kind(struct encoder *encoder, struct block *block, unsigned number)
{
	const struct layout_kind *kind = &encoder->layout.kinds[number];
	encoder->running.kinds |= 1u << number;
	block->kind_count++;
	pack_array(&block->kinds, 4);
	pack_uint(&block->kinds, number);
	pack_text(&block->kinds, kind->name, FORMAT_TEXT_LIMIT);
	define_fields(&block->kinds, kind->site, kind->site_count);
	define_fields(&block->kinds, kind->column, kind->column_count);
}

static void define_site(
	struct encoder *encoder, struct block *block, const struct record *record, unsigned number)
{
	const struct layout_kind *kind = &encoder->layout.kinds[number];
	if ((encoder->running.kinds & (1u << number)) == 0)
		define_kind(encoder, block, number);
	block->site_count++;
	pack_array(&block->sites, 1 + kind->site_count);
	pack_uint(&block->sites, number);
	for (unsigned i = 0; i < kind->site_count; i++) {
		uint64_t value = record_get(record, kind->site[i]);
		if (kind->site[i]->type == FIELD_INT)
			pack_int(&block->sites, (int64_t)value);
		else
			pack_uint(&block->sites, value);
	}
}

/* Number of the record's kind in the file: what record.def does not know travels as 0. */
static unsigned kind_of(const struct encoder *encoder, const struct record *record)
{
	unsigned kind = record->kind;
	return kind < RECORD_KIND_LIMIT && encoder->layout.kinds[kind].name != NULL ? kind : 0;
}

static inline void site_key(const struct layout_kind *kind, const struct record *record,
	uint64_t ret_key[LAYOUT_SITE_WORDS])
{
	memcpy(ret_key, (const char *)record + LAYOUT_SITE_OFFSET,
		LAYOUT_SITE_WORDS * sizeof(ret_key[0]));
	for (unsigned i = 0; i < LAYOUT_SITE_WORDS; i++)
		ret_key[i] &= kind->mask[i];
}

/* Site of a record that does not follow where it did last time; SITES_NONE: dictionary full. */
static __attribute__((noinline)) uint32_t search_site(struct encoder *encoder, struct block *block,
	const struct record *record, unsigned kind, uint32_t previous)
{
	struct sites *sites = &encoder->sites;
	uint64_t key[LAYOUT_SITE_WORDS];
	site_key(&encoder->layout.kinds[kind], record, key);
	uint32_t count = sites->count;
	uint32_t id = sites_find(sites, key);
	if (id == count)
		define_site(encoder, block, record, kind);
	if (previous < count)
		sites->entries[previous].next = id;
	return id;
}

static inline bool is_of_site(
	const struct record *record, const struct site *site, const struct layout_kind *kind)
{
	site_pair words[LAYOUT_SITE_WORDS / 2], mask[LAYOUT_SITE_WORDS / 2];
	site_pair key[LAYOUT_SITE_WORDS / 2], different = {0, 0};
	memcpy(words, (const char *)record + LAYOUT_SITE_OFFSET, sizeof(words));
	memcpy(mask, kind->mask, sizeof(mask));
	memcpy(key, site->key, sizeof(key));
#pragma GCC unroll 3
	for (unsigned i = 0; i < LAYOUT_SITE_WORDS / 2; i++)
		different |= (words[i] & mask[i]) ^ key[i];
	return (different[0] | different[1]) == 0;
}

static inline uint32_t find_site(struct encoder *encoder, struct block *block,
	const struct record *record, unsigned kind, uint32_t previous)
{
	const struct sites *sites = &encoder->sites;
	const struct layout_kind *layout = &encoder->layout.kinds[kind];
	uint32_t guess = previous < sites->count ? sites->entries[previous].next : SITES_NONE;
	if (guess < sites->count && is_of_site(record, &sites->entries[guess], layout))
		return guess;
	return search_site(encoder, block, record, kind, previous);
}

/* Encode the events into the scratch memory. Returns how many fitted into the dictionary. */
static unsigned encode_columns(
	struct encoder *encoder, struct block *block, const struct record *records, unsigned count)
{
	struct scratch *scratch = encoder->scratch;
	struct columns columns = block->columns;
	unsigned i = 0;
	for (; i < count; i++) {
		const struct record *record = &records[i];
		unsigned kind = kind_of(encoder, record);
		const struct layout_kind *layout = &encoder->layout.kinds[kind];
		uint32_t id = find_site(encoder, block, record, kind, columns.previous_site);
		if (id == SITES_NONE)
			break;
		struct means *means = &encoder->sites.entries[id].means;
		scratch->ids[i] = id;
		scratch->old_means[i] = *means;
		columns_add_site(&columns, id);
		columns_add_times(&columns, record, means, i == 0);
		if (layout->column_count > 0)
			columns_add_extra(&columns, record, layout, encoder->running.column[kind]);
	}
	block->columns = columns;
	return i;
}

static void take_back(struct encoder *encoder, const struct running *before, uint32_t site_count,
	unsigned encoded)
{
	while (encoded-- > 0) {
		uint32_t id = encoder->scratch->ids[encoded];
		encoder->sites.entries[id].means = encoder->scratch->old_means[encoded];
	}
	sites_shrink(&encoder->sites, site_count);
	encoder->running = *before;
}

static void add_part(
	struct pack *pack, const char *key, size_t count, const uint8_t *begin, const uint8_t *end)
{
	pack_text(pack, key, FORMAT_TEXT_LIMIT);
	pack_array(pack, count);
	pack_raw(pack, begin, (size_t)(end - begin));
}

static void add_number(struct pack *pack, const char *key, uint64_t value)
{
	pack_text(pack, key, FORMAT_TEXT_LIMIT);
	pack_uint(pack, value);
}

/* The map of the block from the scratch memory into the frame. */
static void add_block(struct pack *pack, const struct scratch *scratch, const struct block *block,
	uint32_t thread, uint64_t first, unsigned count)
{
	const struct columns *columns = &block->columns;
	pack_map(pack, 7u + (block->kind_count > 0) + (block->site_count > 0) +
			       (columns->extra_count > 0));
	pack_text(pack, "t", FORMAT_TEXT_LIMIT);
	pack_text(pack, "events", FORMAT_TEXT_LIMIT);
	add_number(pack, "thread", thread);
	add_number(pack, "first", first);
	add_number(pack, "count", count);
	if (block->kind_count > 0)
		add_part(pack, "kinds", block->kind_count, scratch->kinds, block->kinds.next);
	if (block->site_count > 0)
		add_part(pack, "sites", block->site_count, scratch->sites, block->sites.next);
	add_part(pack, "site", count, scratch->site, columns->site);
	add_part(pack, "end", count, scratch->end, columns->end);
	add_part(pack, "dur", count, scratch->dur, columns->dur);
	if (columns->extra_count > 0)
		add_part(pack, "extra", columns->extra_count, scratch->extra, columns->extra);
}

int encoder_add_events(struct encoder *encoder, uint32_t thread, uint64_t first_sequence,
	const struct record *records, unsigned count)
{
	if (count == 0)
		return 0;
	if (count > CODEC_BLOCK_LIMIT)
		return -EINVAL;
	struct scratch *scratch = encoder->scratch;
	struct block block = {.columns = {
				      .site = scratch->site,
				      .end = scratch->end,
				      .dur = scratch->dur,
				      .extra = scratch->extra,
				      .first_ns = encoder->running.first_ns,
				      .last_ns = encoder->running.last_ns,
			      }};
	pack_init(&block.kinds, scratch->kinds, sizeof(scratch->kinds));
	pack_init(&block.sites, scratch->sites, sizeof(scratch->sites));
	struct running before = encoder->running;
	uint32_t site_count = encoder->sites.count;
	unsigned encoded = encode_columns(encoder, &block, records, count);
	struct pack pack;
	pack_init(&pack, encoder->next, (size_t)(encoder->end - encoder->next));
	if (encoded == count)
		add_block(&pack, scratch, &block, thread, first_sequence, count);
	if (encoded < count || pack.full) {
		take_back(encoder, &before, site_count, encoded);
		return -ENOSPC;
	}
	encoder->next = pack.next;
	encoder->running.events += count;
	encoder->running.first_ns = block.columns.first_ns;
	encoder->running.last_ns = block.columns.last_ns;
	encoder->content |= FRAME_HAS_EVENTS;
	return 0;
}

int encoder_add_matched(struct encoder *encoder, uint32_t thread, uint64_t first_sequence,
	const struct record *records, unsigned count)
{
	struct running *running = &encoder->running;
	struct pack pack;
	if (count - 1 >= CODEC_BLOCK_LIMIT)
		return -EINVAL;
	if ((size_t)(encoder->end - encoder->next) < MATCHED_LIMIT(count))
		return -ENOSPC;
	pack_init(&pack, encoder->next, (size_t)(encoder->end - encoder->next));
	matched_pack(&pack, thread, first_sequence, records, count);
	encoder->next = pack.next;
	running->events += count;
	for (unsigned i = 0; i < count; i++) {
		uint64_t begin_ns = records[i].begin, end_ns = records[i].end;
		running->first_ns = begin_ns < running->first_ns ? begin_ns : running->first_ns;
		running->last_ns = end_ns > running->last_ns ? end_ns : running->last_ns;
	}
	encoder->content |= FRAME_HAS_EVENTS;
	return 0;
}

int encoder_add_meta(struct encoder *encoder, const struct meta *meta)
{
	struct pack pack;
	pack_init(&pack, encoder->next, (size_t)(encoder->end - encoder->next));
	uint32_t content = meta_pack(meta, &pack);
	if (content == 0)
		return -EINVAL;
	if (pack.full)
		return -ENOSPC;
	encoder->next = pack.next;
	encoder->content |= content;
	return 0;
}
