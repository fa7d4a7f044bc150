/* SPDX-License-Identifier: MIT */
/*
 * The content of a frame, as the decoder gets it behind an intact checksum. The first byte
 * chooses: even, the rest is decoded; odd, the rest is taken as records, which must come
 * back from encoder and decoder unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/codec/codec.h"
#include "collector/codec/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct encoder *encoder;
static struct decoder *decoder;
static uint8_t buffer[CODEC_FRAME_LIMIT];
static struct record records[256];
static struct layout layout;

static void check(int holds)
{
	if (!holds)
		abort();
}

static void decode(const uint8_t *bytes, size_t size)
{
	struct item item;
	struct err_at at = {0};
	uint64_t sum = 0;
	int error;
	decoder_feed(decoder, bytes, size);
	while ((error = decoder_next(decoder, &item, &at)) == 0 && item.type != ITEM_END) {
		check(item.count <= CODEC_BLOCK_LIMIT);
		for (unsigned i = 0; item.type == ITEM_EVENTS && i < item.count; i++)
			sum += item.records[i].begin + item.records[i].kind;
		if (item.type == ITEM_META && item.meta.kind == META_NAME)
			sum += strlen(item.meta.u.name.text);
	}
	check(error == 0 || (error == -ERR_DAMAGED && at.offset <= size));
	(void)sum;
}

/* Only what record.def names is promised to come back. */
static unsigned take_records(const uint8_t *bytes, size_t size)
{
	unsigned count = 0;
	for (; size >= sizeof(records[0]) && count < 256; size -= sizeof(records[0])) {
		struct record *record = &records[count];
		memcpy(record, bytes, sizeof(*record));
		bytes += sizeof(*record);
		record->kind %= RECORD_KIND_LIMIT;
		if (record_kinds[record->kind].name == NULL)
			continue;
		struct record clean = {
			.begin = record->begin, .end = record->end, .kind = record->kind};
		const struct layout_kind *kind = &layout.kinds[record->kind];
		for (unsigned i = 0; i < kind->site_count; i++)
			record_set(&clean, kind->site[i], record_get(record, kind->site[i]));
		for (unsigned i = 0; i < kind->column_count; i++)
			record_set(&clean, kind->column[i], record_get(record, kind->column[i]));
		records[count++] = clean;
	}
	return count;
}

static void round_trip(const uint8_t *bytes, size_t size)
{
	struct item item;
	unsigned count = take_records(bytes, size), half = count / 2;
	if (count == 0)
		return;
	encoder_reset(encoder);
	check(encoder_add_events(encoder, 1, 0, records, half) == 0);
	check(encoder_add_events(encoder, 1, half, records + half, count - half) == 0);
	decoder_feed(decoder, buffer, encoder_size(encoder));
	for (unsigned done = 0; done < count; done += item.count) {
		check(decoder_next(decoder, &item, NULL) == 0 && item.type == ITEM_EVENTS);
		check(item.first_sequence == done && item.count > 0);
		check(memcmp(item.records, records + done, item.count * sizeof(records[0])) == 0);
	}
	check(decoder_next(decoder, &item, NULL) == 0 && item.type == ITEM_END);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (decoder == NULL) {
		layout_init(&layout);
		decoder = decoder_new();
		encoder = encoder_new(buffer, sizeof(buffer));
	}
	if (size == 0)
		return 0;
	if ((bytes[0] & 1) == 0)
		decode(bytes + 1, size - 1);
	else
		round_trip(bytes + 1, size - 1);
	return 0;
}
