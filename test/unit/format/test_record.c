/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "collector/codec/layout.h"
#include "collector/codec/meta.h"
#include "collector/format/live.h"
#include "collector/format/record.h"
#include "test/unit/format/format_random.h"

Test(record, fields_fit_into_their_slots)
{
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++)
		for (unsigned i = 0; i < record_kinds[kind].field_count; i++) {
			const struct record_field *field = &record_kinds[kind].fields[i];
			cr_assert(gt(u32, field->bits, 0));
			cr_assert(le(u32, field->shift + field->bits, 8u * field->size));
			cr_assert(ge(u32, field->offset, LAYOUT_SITE_OFFSET));
			cr_assert(le(u32, field->offset + field->size, sizeof(struct record)));
		}
}

/* Two fields of a kind never share a bit, and no field lies on the kind or the call. */
Test(record, fields_do_not_overlap)
{
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++) {
		struct record taken;
		memset(&taken, 0, sizeof(taken));
		taken.kind = UINT16_MAX;
		taken.call = UINT16_MAX;
		for (unsigned i = 0; i < record_kinds[kind].field_count; i++) {
			const struct record_field *field = &record_kinds[kind].fields[i];
			cr_assert(eq(u64, record_get(&taken, field), 0), "%s.%s",
				record_kinds[kind].name, field->name);
			record_set(&taken, field, UINT64_MAX);
		}
	}
}

Test(record, set_and_get_are_inverse_and_touch_nothing_else)
{
	uint64_t seed = 1;
	for (unsigned round = 0; round < 5000; round++) {
		struct record record = random_record(&seed);
		const struct record_kind_info *info = &record_kinds[record.kind];
		if (info->field_count == 0)
			continue;
		const struct record_field *field =
			&info->fields[random_next(&seed) % info->field_count];
		struct record before = record;
		uint64_t value = random_next(&seed), old = record_get(&record, field);
		record_set(&record, field, value);
		uint64_t mask = field->bits == 64 ? UINT64_MAX : (1ull << field->bits) - 1;
		cr_assert(eq(u64, record_get(&record, field) & mask, value & mask));
		record_set(&record, field, old);
		cr_assert(memcmp(&record, &before, sizeof(record)) == 0);
	}
}

Test(record, signed_fields_are_extended)
{
	struct record record = {.kind = RECORD_STREAM};
	const struct record_field *priority = NULL;
	for (unsigned i = 0; i < record_kinds[RECORD_STREAM].field_count; i++)
		if (strcmp(record_kinds[RECORD_STREAM].fields[i].name, "priority") == 0)
			priority = &record_kinds[RECORD_STREAM].fields[i];
	cr_assert(ne(ptr, (void *)priority, NULL));
	record_set(&record, priority, (uint64_t)-5);
	cr_assert(eq(u64, record.a, 0xfffffffb));
	cr_assert(eq(i64, (int64_t)record_get(&record, priority), -5));
}

/* Room of the fixed tables of the codec for what the tables of kinds hold. */
Test(record, kinds_fit_into_the_codec)
{
	struct layout layout;
	layout_init(&layout);
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++) {
		unsigned columns = 0, sites = 0;
		for (unsigned i = 0; i < record_kinds[kind].field_count; i++) {
			columns += record_kinds[kind].fields[i].where == FIELD_COLUMN;
			sites += record_kinds[kind].fields[i].where == FIELD_SITE;
			cr_assert(lt(sz, strlen(record_kinds[kind].fields[i].name), 20));
		}
		cr_assert(le(u32, columns, LAYOUT_COLUMN_LIMIT));
		cr_assert(le(u32, sites + 3, LAYOUT_SITE_LIMIT));
		cr_assert(eq(u32, layout.kinds[kind].column_count, columns));
		if (record_kinds[kind].name != NULL)
			cr_assert(lt(sz, strlen(record_kinds[kind].name), 40));
	}
}

Test(record, metas_fit_into_the_decoder)
{
	static const unsigned texts[] = {
#define META(kind, name, flag, text) 0
#define META_TEXT(kind, name)        +1
#define META_END(kind)               ,
#include "collector/format/meta.def"
	};
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		cr_assert(le(u32, texts[i], META_TEXT_LIMIT));
}

/* The tables of FORMAT.md, section 7. */
Test(record, live_file_has_the_documented_offsets)
{
	static const size_t documented[][2] = {
		{offsetof(struct live_header, version), 8},
		{offsetof(struct live_header, pid), 12},
		{offsetof(struct live_header, begin_realtime_ns), 16},
		{offsetof(struct live_header, scale.base_ticks), 24},
		{offsetof(struct live_header, scale.base_ns), 32},
		{offsetof(struct live_header, scale.mult), 40},
		{offsetof(struct live_header, scale_generation), 48},
		{offsetof(struct live_header, ring_count), 52},
		{offsetof(struct live_header, chunk_count), 56},
		{offsetof(struct live_header, pending_sequence), 60},
		{offsetof(struct live_header, pending_offset), 64},
		{offsetof(struct live_header, pending_bytes), 72},
		{offsetof(struct live_header, pending_capacity), 80},
		{offsetof(struct live_header, chunk_offset), 88},
		{offsetof(struct live_header, ring_offset), 8280},
		{offsetof(struct live_ring, capacity), 8},
		{offsetof(struct live_ring, name), 16},
		{offsetof(struct live_ring, first_sequence_of_thread), 32},
		{offsetof(struct live_ring, head), 64},
		{offsetof(struct live_ring, lost), 72},
		{offsetof(struct live_ring, tail), 128},
		{offsetof(struct live_ring, lost_taken), 136},
		{offsetof(struct live_definition, id), 8},
		{sizeof(struct live_definition), 16},
		{offsetof(struct live_place, address), 24},
		{offsetof(struct record, kind), 16},
		{offsetof(struct record, stream), 32},
		{offsetof(struct record, c), 56},
	};
	for (size_t i = 0; i < sizeof(documented) / sizeof(documented[0]); i++)
		cr_assert(eq(sz, documented[i][0], documented[i][1]), "row %zu", i);
}
