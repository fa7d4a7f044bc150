/* SPDX-License-Identifier: MIT */
/*
 * The few forms of a protobuf message that a trace needs, put at a cursor: each returns the new
 * end. Messages of up to PROTO_MESSAGE_LIMIT bytes are begun before their length is known.
 * Pure functions.
 */
#ifndef ANALYZER_EXPORT_FORMS_PROTO_H
#define ANALYZER_EXPORT_FORMS_PROTO_H

#include <stdint.h>
#include <string.h>

#define PROTO_MESSAGE_LIMIT 16383u

enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2
};

static inline char *proto_varint(char *cursor, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*cursor++ = (char)(value | 0x80);
	*cursor++ = (char)value;
	return cursor;
}

static inline char *proto_tag(char *cursor, unsigned field, enum proto_wire wire)
{
	return proto_varint(cursor, field << 3 | wire);
}

static inline char *proto_u64(char *cursor, unsigned field, uint64_t value)
{
	return proto_varint(proto_tag(cursor, field, PROTO_VARINT), value);
}

static inline char *proto_fixed64(char *cursor, unsigned field, uint64_t value)
{
	cursor = proto_tag(cursor, field, PROTO_FIXED64);
	memcpy(cursor, &value, sizeof(value)); /* little endian, as the format has it */
	return cursor + sizeof(value);
}

static inline char *proto_bytes(char *cursor, unsigned field, const char *bytes, size_t size)
{
	cursor = proto_varint(proto_tag(cursor, field, PROTO_BYTES), size);
	memcpy(cursor, bytes, size);
	return cursor + size;
}

static inline char *proto_text(char *cursor, unsigned field, const char *text)
{
	return proto_bytes(cursor, field, text, strlen(text));
}

/* A message inside: what is put behind the result belongs to it, until proto_end() with it. */
static inline char *proto_begin(char *cursor, unsigned field)
{
	return proto_tag(cursor, field, PROTO_BYTES) + 2;
}

/* begin: what proto_begin() gave. The length takes two bytes whatever it is. */
static inline char *proto_end(char *begin, char *end)
{
	size_t size = (size_t)(end - begin);
	begin[-2] = (char)(size | 0x80);
	begin[-1] = (char)(size >> 7);
	return end;
}

#endif
