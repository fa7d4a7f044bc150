/* SPDX-License-Identifier: MIT */
/*
 * Everything that a reader gives for a trace, as a digest that two readings can be
 * compared by, together with what it says about the state of the file. All is read twice, the
 * second time by a reader that decodes ahead, which has to give the same. For tests on
 * traces made with trace_maker.h. Every function is static.
 */
#ifndef TEST_UNIT_TRACE_RESULT_H
#define TEST_UNIT_TRACE_RESULT_H

#include "analyzer/read/reader.h"
#include "test/unit/analyzer/trace_maker.h"

static inline uint64_t maker_mix(uint64_t digest, const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;
	for (size_t i = 0; i < size; i++)
		digest = (digest ^ byte[i]) * 0x100000001b3u;
	return digest;
}

/* What a reader gave: 0 or a code, a digest of all events with their texts, the health. */
struct maker_result {
	int code;
	uint64_t digest;
	unsigned metas;
	struct reader_health health;
};

static inline void maker_take(
	struct maker_result *result, const struct reader *reader, const struct item *item)
{
	result->metas += item->type == ITEM_META;
	for (unsigned i = 0; item->type == ITEM_EVENTS && i < item->count; i++) {
		const struct record *record = &item->records[i];
		const struct meta_PLACE *place = reader_place(reader, record->place);
		const char *name = reader_text(reader, record->name);
		const char *call = reader_call(reader, record->call);
		uint64_t sequence = item->first_sequence + i;
		uint64_t line = place != NULL ? place->line : 0;
		result->digest = maker_mix(result->digest, record, sizeof(*record));
		result->digest = maker_mix(result->digest, &item->thread, sizeof(item->thread));
		result->digest = maker_mix(result->digest, &sequence, sizeof(sequence));
		result->digest = maker_mix(result->digest, name, strlen(name));
		result->digest = maker_mix(result->digest, call, strlen(call));
		result->digest = maker_mix(result->digest, &line, sizeof(line));
	}
}

static inline struct maker_result maker_read_once(const char *path, bool ahead)
{
	struct maker_result result = {.digest = 0xcbf29ce484222325u};
	struct reader *reader;
	struct item item;
	result.code = reader_open(path, &reader, NULL);
	if (result.code < 0)
		return result;
	if (ahead)
		reader_read_ahead(reader);
	while ((result.code = reader_next(reader, &item, NULL)) == 0 && item.type != ITEM_END)
		maker_take(&result, reader, &item);
	result.health = *reader_health(reader);
	reader_close(reader);
	return result;
}

static inline struct maker_result maker_read(const char *path)
{
	struct maker_result result = maker_read_once(path, false);
	struct maker_result ahead = maker_read_once(path, true);
	MAKER_CHECK(ahead.code == result.code && ahead.digest == result.digest);
	MAKER_CHECK(ahead.metas == result.metas);
	MAKER_CHECK(memcmp(&ahead.health, &result.health, sizeof(result.health)) == 0);
	return result;
}

/* Read bytes as if they were a trace file. */
static inline struct maker_result maker_read_bytes(const void *bytes, size_t size)
{
	char path[64];
	int fd = maker_file(bytes, size, path, sizeof(path));
	struct maker_result result = maker_read(path);
	(void)close(fd);
	return result;
}

#endif
