/* SPDX-License-Identifier: MIT */
/*
 * The event as it travels: one fixed 64-byte struct from the hook to the
 * analyzer. Kinds and the meaning of the slots come from record.def; this
 * header expands them into constants, accessors and a descriptor table, so that
 * neither codec nor dump nor exporter knows a kind by heart.
 *
 * Times are clock ticks in a ring and CLOCK_MONOTONIC nanoseconds everywhere
 * else. A kind's slots that no FIELD names are 0. The struct is also the layout
 * of a ring in shared memory (live.h): its size and offsets never change within
 * a format version.
 */
#ifndef COLLECTOR_FORMAT_RECORD_H
#define COLLECTOR_FORMAT_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/host_value.h"
#include "collector/format/value.h"

struct record {
	uint64_t begin;
	uint64_t end;
	uint16_t kind;  /* enum record_kind */
	uint16_t call;  /* id of the function called, 0: none; names are definitions */
	uint32_t place; /* id of the place in the program, 0: unknown */
	uint32_t name;  /* id of a text, 0: none */
	int32_t result; /* what the call returned: 0 is success */
	uint64_t stream;
	uint64_t a;
	uint64_t b;
	uint32_t c;
	uint32_t d;
};
_Static_assert(sizeof(struct record) == 64, "a record is one cache line");

enum record_kind {
	RECORD_NONE = 0,
#define RECORD(kind, number, name, text) RECORD_##kind = number,
#define FIELD(kind, public, slot, shift, bits, type, where)
#define END(kind)
#include "collector/format/record.def"
#undef RECORD
#undef FIELD
#undef END
	RECORD_KIND_LIMIT = 32
};

/* FIELD types and places, as in record.def. */
enum field_type {
	FIELD_UINT,
	FIELD_INT,
	FIELD_NAME,
	FIELD_HANDLE,
	FIELD_BITS
};
enum field_where {
	FIELD_SITE,
	FIELD_COLUMN
};

struct record_field {
	const char *name;
	uint8_t offset; /* of the slot in struct record */
	uint8_t size;   /* of the slot, bytes */
	uint8_t shift;
	uint8_t bits;
	uint8_t type;  /* enum field_type */
	uint8_t where; /* enum field_where */
};

struct record_kind_info {
	const char *name; /* NULL: no such kind */
	const char *text;
	const struct record_field *fields;
	unsigned field_count;
};

/* Indexed by kind number, RECORD_KIND_LIMIT entries. */
extern const struct record_kind_info record_kinds[RECORD_KIND_LIMIT];

/* The value of a field of a record, zero-extended (sign-extended for FIELD_INT). */
uint64_t record_get(const struct record *record, const struct record_field *field);

/* Set a field; bits beyond its width are cut off. */
void record_set(struct record *record, const struct record_field *field, uint64_t value);

#endif
