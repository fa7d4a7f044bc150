/* SPDX-License-Identifier: MIT */
#include "collector/codec/matched.h"

#include <string.h>

#include "collector/base/banned.h"
#include "collector/codec/codec.h"
#include "collector/codec/layout.h"
#include "collector/format/fields.h"

#define DOMAIN_BITS 2u
#define WHAT_AT     (2 * CODEC_BLOCK_LIMIT) /* in the columns */

/* Keys of the map: numbers, then columns. */
enum part {
	PART_THREAD,
	PART_FIRST,
	PART_COUNT,
	PART_BY,
	PART_TID,
	PART_NUMBERS,
	PART_CALL = PART_NUMBERS,
	PART_CORRELATION,
	PART_WHAT,
	PART_LIMIT
};

static const char *const part_names[] = {
	"thread", "first", "count", "by", "tid", "call", "correlation", "what"};

static const uint64_t limits[PART_NUMBERS] = {
	UINT32_MAX, UINT64_MAX, CODEC_BLOCK_LIMIT, UINT32_MAX, UINT64_MAX};

static void add_number(struct pack *pack, enum part part, uint64_t value)
{
	pack_text(pack, part_names[part], FORMAT_TEXT_LIMIT);
	pack_uint(pack, value);
}

static void begin_column(struct pack *pack, enum part part, unsigned count)
{
	pack_text(pack, part_names[part], FORMAT_TEXT_LIMIT);
	pack_array(pack, count);
}

static inline uint64_t what_of(const struct record *record)
{
	return (uint64_t)record_DEVICE_API_function(record) << DOMAIN_BITS |
	       record_DEVICE_API_domain(record);
}

/* How many records from the first one on are about the same function. */
static unsigned count_same(const struct record *records, unsigned count)
{
	uint32_t c = records[0].c, d = records[0].d;
	unsigned run = 1;
	while (run < count && ((records[run].c ^ c) | (records[run].d ^ d)) == 0)
		run++;
	return run;
}

/* How many records follow each other that are about the same function, and which, in turns. */
static void add_whats(struct pack *pack, const struct record *records, unsigned count)
{
	unsigned first = count_same(records, count), runs = 1;
	for (unsigned i = first; i < count; runs++)
		i += count_same(&records[i], count - i);
	begin_column(pack, PART_WHAT, 2 * runs);
	for (unsigned i = 0, run = first; i < count;) {
		pack_uint(pack, run);
		pack_uint(pack, what_of(&records[i]));
		i += run;
		run = i < count ? count_same(&records[i], count - i) : 0;
	}
}

void matched_pack(struct pack *pack, uint32_t thread, uint64_t first, const struct record *records,
	unsigned count)
{
	uint64_t last = 0;
	pack_map(pack, 9);
	pack_text(pack, "t", FORMAT_TEXT_LIMIT);
	pack_text(pack, "matched", FORMAT_TEXT_LIMIT);
	add_number(pack, PART_THREAD, thread);
	add_number(pack, PART_FIRST, first);
	add_number(pack, PART_COUNT, count);
	add_number(pack, PART_BY, records[0].name);
	add_number(pack, PART_TID, record_DEVICE_API_thread(&records[0]));
	begin_column(pack, PART_CALL, count);
	for (unsigned i = 0; i < count; last = records[i++].b)
		pack->next = pack_small_int(pack->next, records[i].b - last);
	last = 0;
	begin_column(pack, PART_CORRELATION, count);
	for (unsigned i = 0; i < count; last = record_correlation(&records[i++]))
		pack->next = pack_small_int(pack->next, record_correlation(&records[i]) - last);
	add_whats(pack, records, count);
}

static unsigned find_part(const char *name, size_t length)
{
	unsigned part = 0;
	while (part < PART_LIMIT &&
		(strlen(part_names[part]) != length || memcmp(part_names[part], name, length) != 0))
		part++;
	return part;
}

static bool read_number(struct unpack *unpack, uint64_t limit, uint64_t *ret_number)
{
	int64_t number;
	if (!unpack_int(unpack, &number) || (uint64_t)number > limit)
		return false;
	*ret_number = (uint64_t)number;
	return true;
}

/* An array of so many integers. */
static bool read_column(struct unpack *unpack, uint64_t least, uint64_t most, int64_t *ret_values)
{
	uint32_t count;
	return unpack_array(unpack, &count) && count >= least && count <= most &&
	       unpack_ints(unpack, count, ret_values);
}

/* Of count records: pairs that stand for all of them. Those behind are 0. */
static bool read_whats(struct unpack *unpack, uint64_t count, int64_t *ret_values)
{
	uint64_t sum = 0;
	memset(ret_values, 0, 2 * CODEC_BLOCK_LIMIT * sizeof(*ret_values));
	if (!read_column(unpack, count > 0, 2 * count, ret_values))
		return false;
	for (uint64_t i = 0; i < count && sum < count; i++) {
		uint64_t run = (uint64_t)ret_values[2 * i];
		if (run == 0 || run > count - sum)
			return false;
		sum += run;
	}
	return sum == count;
}

static bool read_part(
	struct unpack *unpack, unsigned part, const uint64_t *numbers, int64_t *columns)
{
	uint64_t count = numbers[PART_COUNT];
	if (part == PART_WHAT)
		return read_whats(unpack, count, columns + WHAT_AT);
	if (part < PART_LIMIT)
		return read_column(
			unpack, count, count, columns + (part - PART_NUMBERS) * CODEC_BLOCK_LIMIT);
	return unpack_skip(unpack);
}

bool matched_unpack(
	struct unpack *unpack, uint32_t pairs, int64_t *columns, struct matched *ret_matched)
{
	uint64_t numbers[PART_NUMBERS] = {0};
	bool present[PART_LIMIT + 1] = {false};
	unsigned found = 0;
	for (; pairs > 0; pairs--) {
		const char *name;
		size_t length;
		if (!unpack_text(unpack, &name, &length))
			return false;
		unsigned part = find_part(name, length);
		bool fine = part == PART_LIMIT || !present[part];
		if (part < PART_NUMBERS)
			fine = fine && read_number(unpack, limits[part], &numbers[part]);
		else
			fine = fine && (part == PART_LIMIT || present[PART_COUNT]) &&
			       read_part(unpack, part, numbers, columns);
		if (!fine)
			return false;
		present[part] = true;
		found += part < PART_LIMIT;
	}
	*ret_matched = (struct matched){.thread = (uint32_t)numbers[PART_THREAD],
		.by = (uint32_t)numbers[PART_BY],
		.tid = numbers[PART_TID],
		.first = numbers[PART_FIRST],
		.count = (unsigned)numbers[PART_COUNT],
		.call = columns,
		.correlation = columns + CODEC_BLOCK_LIMIT,
		.what = columns + WHAT_AT};
	return found == PART_LIMIT;
}

void matched_records(const struct matched *matched, struct record *ret_records)
{
	uint64_t call = 0, correlation = 0, what = 0, left = 0;
	const int64_t *next = matched->what;
	for (unsigned i = 0; i < matched->count; i++, left--) {
		struct record *record = &ret_records[i];
		call += (uint64_t)matched->call[i];
		correlation += (uint64_t)matched->correlation[i];
		if (left == 0) {
			left = (uint64_t)*next++;
			what = (uint64_t)*next++;
		}
		*record =
			(struct record){.kind = RECORD_DEVICE_API, .name = matched->by, .b = call};
		record_set_correlation(record, (uint32_t)correlation);
		record_set_DEVICE_API_thread(record, matched->tid);
		record_set_DEVICE_API_function(record, (uint32_t)(what >> DOMAIN_BITS));
		record_set_DEVICE_API_domain(record, what & ((1u << DOMAIN_BITS) - 1));
	}
}
