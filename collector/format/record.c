/* SPDX-License-Identifier: MIT */
#include "collector/format/record.h"

#include <string.h>

#include "collector/base/banned.h"

/* clang-format off */
#define RECORD(kind, number, name, text) static const struct record_field fields_##kind[] = {
#define FIELD(kind, public, slot, shift, bits, type, where)                        \
	{#public, offsetof(struct record, slot), sizeof(((struct record *)0)->slot), \
	 shift, bits, FIELD_##type, FIELD_##where},
#define END(kind) };
#include "collector/format/record.def"
#undef RECORD
#undef FIELD
#undef END

#define COUNT(kind) (sizeof(fields_##kind) / sizeof(fields_##kind[0]))
const struct record_kind_info record_kinds[RECORD_KIND_LIMIT] = {
#define RECORD(kind, number, name, text) [number] = {name, text, fields_##kind, COUNT(kind)},
#define FIELD(kind, public, slot, shift, bits, type, where)
#define END(kind)
#include "collector/format/record.def"
#undef RECORD
#undef FIELD
#undef END
};
#undef COUNT

/* Where a field lies, as one number. */
enum {
#define RECORD(kind, number, name, text)
#define FIELD(kind, public, slot, shift, bits, type, where)                        \
	AT_##kind##_##public = offsetof(struct record, slot) << 16 | (shift) << 8 | (bits),
#define END(kind)
#include "collector/format/record.def"
#undef RECORD
#undef FIELD
#undef END
};

/* The kinds of common.def agree. */
enum {
#define COMMON(name, kind, field) AT_COMMON_##name = AT_##kind##_##field,
#define ALSO(name, kind, field)
#include "collector/format/common.def"
#undef COMMON
#undef ALSO
};
#define COMMON(name, kind, field)
#define ALSO(name, kind, field) \
	_Static_assert((int)AT_##kind##_##field == (int)AT_COMMON_##name, #kind "." #field);
#include "collector/format/common.def"
#undef COMMON
#undef ALSO
/* clang-format on */

static uint64_t field_mask(const struct record_field *field)
{
	return field->bits >= 64 ? UINT64_MAX : (1ull << field->bits) - 1;
}

static uint64_t slot_load(const void *slot, unsigned size)
{
	uint64_t wide;
	uint32_t narrow;
	uint16_t half;
	switch (size) {
	case 8:
		memcpy(&wide, slot, 8);
		return wide;
	case 4:
		memcpy(&narrow, slot, 4);
		return narrow;
	default:
		memcpy(&half, slot, 2);
		return half;
	}
}

static void slot_store(void *slot, unsigned size, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;
	uint16_t half = (uint16_t)value;
	switch (size) {
	case 8:
		memcpy(slot, &value, 8);
		return;
	case 4:
		memcpy(slot, &narrow, 4);
		return;
	default:
		memcpy(slot, &half, 2);
	}
}

uint64_t record_get(const struct record *record, const struct record_field *field)
{
	uint64_t slot = slot_load((const char *)record + field->offset, field->size);
	uint64_t value = (slot >> field->shift) & field_mask(field);
	if (field->type == FIELD_INT && field->bits < 64) {
		uint64_t sign = 1ull << (field->bits - 1);
		value = (value ^ sign) - sign;
	}
	return value;
}

void record_set(struct record *record, const struct record_field *field, uint64_t value)
{
	char *slot = (char *)record + field->offset;
	uint64_t mask = field_mask(field) << field->shift;
	uint64_t rest = slot_load(slot, field->size) & ~mask;
	slot_store(slot, field->size, rest | ((value << field->shift) & mask));
}
