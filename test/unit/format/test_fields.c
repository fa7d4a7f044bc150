/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "collector/format/fields.h"
#include "test/unit/format/format_random.h"

static void fill(uint64_t *state, struct record *ret_record)
{
	for (size_t at = 0; at < sizeof(*ret_record); at += sizeof(uint64_t)) {
		uint64_t word = random_next(state);
		memcpy((char *)ret_record + at, &word, sizeof(word));
	}
}

/* Every accessor against the descriptor of its field, on random records. */
static const struct record_field *field_of(unsigned kind, const char *name)
{
	for (unsigned i = 0; i < record_kinds[kind].field_count; i++)
		if (strcmp(record_kinds[kind].fields[i].name, name) == 0)
			return &record_kinds[kind].fields[i];
	return NULL;
}

Test(fields, get_what_the_descriptors_say)
{
	uint64_t seed = 7;
	const char *wrong = NULL;
	for (unsigned round = 0; round < 200; round++) {
		struct record record;
		fill(&seed, &record);
#define RECORD(kind, number, name, text)
#define FIELD(kind, public, slot, shift, bits, type, where)                                        \
	if ((uint64_t)record_##kind##_##public(&record) !=                                         \
		record_get(&record, field_of(RECORD_##kind, #public)))                             \
		wrong = #kind "." #public;
#define END(kind)
#include "collector/format/record.def"
#undef RECORD
#undef FIELD
#undef END
	}
	cr_assert(eq(ptr, (void *)wrong, NULL), "%s", wrong);
}

Test(fields, set_as_the_descriptors_do_and_touch_nothing_else)
{
	uint64_t seed = 8;
	const char *wrong = NULL;
	for (unsigned round = 0; round < 200; round++) {
		struct record before, by_name, by_field;
		fill(&seed, &before);
		uint64_t value = random_next(&seed);
#define RECORD(kind, number, name, text)
#define FIELD(kind, public, slot, shift, bits, type, where)                                        \
	by_name = by_field = before;                                                               \
	record_set_##kind##_##public(&by_name, value);                                             \
	record_set(&by_field, field_of(RECORD_##kind, #public), value);                            \
	if (memcmp(&by_name, &by_field, sizeof(before)) != 0)                                      \
		wrong = #kind "." #public;                                                         \
	by_name = by_field = (struct record){0};                                                   \
	by_name.slot = record_bits_##kind##_##public(value);                                       \
	record_set(&by_field, field_of(RECORD_##kind, #public), value);                            \
	if (memcmp(&by_name, &by_field, sizeof(before)) != 0)                                      \
		wrong = #kind "." #public;
#define END(kind)
#include "collector/format/record.def"
#undef RECORD
#undef FIELD
#undef END
	}
	cr_assert(eq(ptr, (void *)wrong, NULL), "%s", wrong);
}

Test(fields, signed_ones_are_extended)
{
	struct record record = {.kind = RECORD_STREAM};
	record_set_STREAM_priority(&record, (uint64_t)-5);
	cr_assert(eq(u64, record.a, 0xfffffffb));
	cr_assert(eq(int, record_STREAM_priority(&record), -5));
	record_set_INPUT_bytes(&record, (uint64_t)-7);
	cr_assert(eq(i64, record_INPUT_bytes(&record), -7));
}

/* Where the file has them, by hand once. */
Test(fields, common_ones_are_where_all_their_kinds_have_them)
{
	struct record record = {
		.b = 0x0003ull << 48 | 0x040201, .d = 0x11, .stream = 9ull << 32 | 5};
	record.result = (int32_t)(0x8001u << 16 | 30);
	cr_assert(eq(u32, record_device(&record), 3));
	cr_assert(eq(u32, record_direction(&record), 1));
	cr_assert(eq(u32, record_src_memory(&record), 2));
	cr_assert(eq(u32, record_dst_memory(&record), 4));
	cr_assert(eq(u32, record_flags(&record), 0x11));
	cr_assert(eq(u32, record_device_flags(&record), 0x8001));
	cr_assert(eq(u32, record_DEVICE_KERNEL_registers(&record), 30));
	cr_assert(eq(u32, record_device_stream(&record), 5));
	cr_assert(eq(u32, record_device_graph(&record), 9));
	record_set_device(&record, 0x12345);
	cr_assert(eq(u64, record.b, 0x2345ull << 48 | 0x040201));
	cr_assert(eq(u64, record_bits_device(0x12345), 0x2345ull << 48));
}
