/* SPDX-License-Identifier: MIT */
/*
 * CUPTI's activity records as structs of the fields that we read: for each record of cupti.def
 * struct cupti_KERNEL { uint64_t start, ... }, and read_KERNEL(version, raw, room, ret), which is
 * false when the record is cut off. A field that the library's version does not have reads as
 * 0. At raw, room bytes may be touched. Inline, because there are hundreds of thousands a second
 * and most fields go from register to register. Part of records.c; pure.
 */
#ifndef COLLECTOR_GPU_RAW_H
#define COLLECTOR_GPU_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE inline __attribute__((always_inline))

#define BYTES_U8   1u
#define BYTES_U16  2u
#define BYTES_U32  4u
#define BYTES_U64  8u
#define BYTES_TEXT sizeof(char *)

/* From this release on it has every field. */
#define LATEST_FIELD 22u
#define CUPTI_FIELD(RECORD, field, offset, type, since)                                            \
	_Static_assert((since) <= LATEST_FIELD, "the latest field");
#include "collector/gpu/cupti.def"

static INLINE uint64_t load(const uint8_t *from, size_t bytes)
{
	uint64_t value = 0;
	memcpy(&value, from, bytes);
	return value;
}

/* sizeof(union span_KERNEL): the bytes that the fields reach to. */
/* clang-format off */
#define CUPTI_RECORD(RECORD, kind, name) struct cupti_##RECORD {
#define CUPTI_FIELD(RECORD, field, offset, type, since) uint64_t field;
#define CUPTI_RECORD_END(RECORD) };
#include "collector/gpu/cupti.def"

#define CUPTI_RECORD(RECORD, kind, name) union span_##RECORD {
#define CUPTI_FIELD(RECORD, field, offset, type, since) char field[(offset) + BYTES_##type];
#define CUPTI_RECORD_END(RECORD) };
#include "collector/gpu/cupti.def"

/* A release that has every field, and a record that is not cut off: nothing to ask. */
#define CUPTI_RECORD(RECORD, kind, name)                                                           \
	static INLINE void take_##RECORD(                                                          \
		const uint8_t *raw, struct cupti_##RECORD *ret)                                    \
	{
#define CUPTI_FIELD(RECORD, field, offset, type, since)                                            \
		ret->field = load(raw + (offset), BYTES_##type);
#define CUPTI_RECORD_END(RECORD)                                                                   \
	}
#include "collector/gpu/cupti.def"

#define CUPTI_RECORD(RECORD, kind, name)                                                           \
	static __attribute__((noinline)) bool read_old_##RECORD(uint32_t version,                  \
		const uint8_t *raw, size_t room, struct cupti_##RECORD *ret)                       \
	{
#define CUPTI_FIELD(RECORD, field, offset, type, since)                                            \
		ret->field = 0;                                                                    \
		if (version >= (since)) {                                                          \
			if ((offset) + BYTES_##type > room)                                        \
				return false;                                                      \
			ret->field = load(raw + (offset), BYTES_##type);                           \
		}
#define CUPTI_RECORD_END(RECORD)                                                                   \
		return true;                                                                       \
	}                                                                                          \
	static INLINE bool read_##RECORD(uint32_t version,                                         \
		const uint8_t *raw, size_t room, struct cupti_##RECORD *ret)                       \
	{                                                                                          \
		if (version < LATEST_FIELD || room < sizeof(union span_##RECORD)) {                \
			/* apart, so that the usual one need not be in memory */                   \
			struct cupti_##RECORD old;                                                 \
			bool whole = read_old_##RECORD(version, raw, room, &old);                  \
			if (whole)                                                                 \
				*ret = old;                                                        \
			return whole;                                                              \
		}                                                                                  \
		take_##RECORD(raw, ret);                                                           \
		return true;                                                                       \
	}
#include "collector/gpu/cupti.def"
/* clang-format on */

#endif
