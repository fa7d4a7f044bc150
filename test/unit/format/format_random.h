/* SPDX-License-Identifier: MIT */
/*
 * Random records of every kind for the tests of the format: only slots that
 * record.def names are set, so that what comes back must be equal byte by byte.
 * Seeded; the same seed gives the same records everywhere.
 */
#ifndef TEST_UNIT_FORMAT_RANDOM_H
#define TEST_UNIT_FORMAT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/format/record.h"

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* A number of a random width, so that every form of an integer comes up. */
static inline uint64_t random_value(uint64_t *state)
{
	return random_next(state) >> (random_next(state) % 64);
}

static inline bool random_slot_is_taken(unsigned kind, size_t offset)
{
	for (unsigned i = 0; i < record_kinds[kind].field_count; i++)
		if (record_kinds[kind].fields[i].offset == offset)
			return true;
	return false;
}

static inline struct record random_record_of(uint64_t *state, unsigned kind)
{
	struct record record;
	memset(&record, 0, sizeof(record));
	record.kind = (uint16_t)kind;
	record.call = (uint16_t)(random_next(state) % 200);
	if (!random_slot_is_taken(kind, offsetof(struct record, place)))
		record.place = (uint32_t)(random_next(state) % 50);
	if (!random_slot_is_taken(kind, offsetof(struct record, result)))
		record.result = -(int32_t)(random_next(state) % 3);
	for (unsigned i = 0; i < record_kinds[kind].field_count; i++)
		record_set(&record, &record_kinds[kind].fields[i], random_value(state));
	record.begin = random_value(state);
	record.end = random_next(state) % 8 == 0 ? random_value(state)
						 : record.begin + random_next(state) % 5000;
	return record;
}

static inline struct record random_record(uint64_t *state)
{
	unsigned kind;
	do
		kind = (unsigned)(random_next(state) % RECORD_KIND_LIMIT);
	while (record_kinds[kind].name == NULL);
	return random_record_of(state, kind);
}

/* count records, drawn from distinct different combinations so that sites repeat. */
static inline void random_records(
	uint64_t *state, struct record *ret_records, unsigned count, unsigned distinct)
{
	uint64_t now = random_next(state) % 1000000000;
	for (unsigned i = 0; i < count; i++) {
		if (i < distinct) {
			ret_records[i] = random_record(state);
		} else {
			ret_records[i] = ret_records[random_next(state) % distinct];
			ret_records[i].begin = now += random_next(state) % 3000;
			ret_records[i].end = ret_records[i].begin + random_next(state) % 3000;
		}
	}
}

#endif
