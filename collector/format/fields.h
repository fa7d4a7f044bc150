/* SPDX-License-Identifier: MIT */
/*
 * The fields of records by name: for each FIELD of record.def three inline functions, so that
 * nobody else shifts or masks a slot.
 *
 *	record_COPY_direction(record)               the value
 *	record_set_COPY_direction(record, value)    replace it, the other fields of the slot stay
 *	record_bits_COPY_direction(value)           the value where its slot has it, the rest 0
 *
 * The last is for a slot that is stored once: record->b = record_bits_COPY_direction(a) | ...
 * Surplus bits of a value are cut off. INT fields are signed, the others unsigned; what is wider
 * than 32 bits is of 64. Where several kinds agree on the place (common.def), record_device(record)
 * and its companions serve all of them; the caller knows that the kind is one of those.
 *
 * Pure; they cost the shift and the mask. What does not know the kind beforehand walks the
 * descriptors instead (record.h).
 */
#ifndef COLLECTOR_FORMAT_FIELDS_H
#define COLLECTOR_FORMAT_FIELDS_H

#include <stdbool.h>

#include "collector/format/record.h"

#define FIELDS_MASK(bits)        (UINT64_MAX >> (64 - (bits)))
#define FIELDS_SLOT(slot)        __typeof__(((struct record *)0)->slot)
#define FIELDS_WIDE(bits, u)     __builtin_choose_expr((bits) > 32, (u##int64_t)0, (u##int32_t)0)
#define FIELDS_UNSIGNED(bits)    __typeof__(FIELDS_WIDE(bits, u))
#define FIELDS_TYPE_UINT(bits)   FIELDS_UNSIGNED(bits)
#define FIELDS_TYPE_NAME(bits)   FIELDS_UNSIGNED(bits)
#define FIELDS_TYPE_HANDLE(bits) FIELDS_UNSIGNED(bits)
#define FIELDS_TYPE_BITS(bits)   FIELDS_UNSIGNED(bits)
#define FIELDS_TYPE_INT(bits)    __typeof__(FIELDS_WIDE(bits, ))

/* clang-format off */
#define RECORD(kind, number, name, text)
#define FIELD(kind, public, slot, shift, bits, type, where)                                        \
	static inline FIELDS_TYPE_##type(bits) record_##kind##_##public(                           \
		const struct record *record)                                                       \
	{                                                                                          \
		uint64_t value = (uint64_t)record->slot >> (shift) & FIELDS_MASK(bits);            \
		bool sign = FIELD_##type == FIELD_INT && value >> ((bits) - 1) != 0;               \
		return (FIELDS_TYPE_##type(bits))(sign ? value | ~FIELDS_MASK(bits) : value);      \
	}                                                                                          \
	static inline FIELDS_SLOT(slot) record_bits_##kind##_##public(uint64_t value)              \
	{                                                                                          \
		return (FIELDS_SLOT(slot))((value & FIELDS_MASK(bits)) << (shift));                \
	}                                                                                          \
	static inline void record_set_##kind##_##public(struct record *record, uint64_t value)     \
	{                                                                                          \
		FIELDS_SLOT(slot) own = record_bits_##kind##_##public(UINT64_MAX);                 \
		FIELDS_SLOT(slot) rest = record->slot & (FIELDS_SLOT(slot))~own;                   \
		record->slot = rest | record_bits_##kind##_##public(value);                        \
	}
#define END(kind)
#include "collector/format/record.def"
#undef RECORD
#undef FIELD
#undef END

#define COMMON(name, kind, field)                                                                  \
	static inline __typeof__(record_##kind##_##field((void *)0)) record_##name(                \
		const struct record *record)                                                       \
	{                                                                                          \
		return record_##kind##_##field(record);                                            \
	}                                                                                          \
	static inline void record_set_##name(struct record *record, uint64_t value)                \
	{                                                                                          \
		record_set_##kind##_##field(record, value);                                        \
	}                                                                                          \
	static inline __typeof__(record_bits_##kind##_##field(0)) record_bits_##name(              \
		uint64_t value)                                                                    \
	{                                                                                          \
		return record_bits_##kind##_##field(value);                                        \
	}
#define ALSO(name, kind, field)
#include "collector/format/common.def"
#undef COMMON
#undef ALSO
/* clang-format on */

#endif
