/* SPDX-License-Identifier: MIT */
/*
 * msgpack into memory that ends somewhere: msgpack-c writes through this buffer,
 * and so do the columns of integers, which are too many for msgpack-c's byte-wise
 * packer. A buffer that is full drops everything after and says so; what was
 * written before a mark can be taken back.
 *
 * pack_column_int() is the hot loop of the encoder: one msgpack integer in its
 * shortest form, without a branch. It may touch PACK_SLACK bytes behind the
 * integer, so its memory must have them.
 */
#ifndef COLLECTOR_CODEC_PACK_H
#define COLLECTOR_CODEC_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PACK_SLACK     8u
#define PACK_INT_LIMIT 9u /* bytes of the longest integer */

struct pack {
	uint8_t *next;
	uint8_t *end;
	bool full; /* something did not fit */
};

void pack_init(struct pack *pack, void *bytes, size_t capacity);

void pack_map(struct pack *pack, unsigned count);
void pack_array(struct pack *pack, size_t count);
void pack_uint(struct pack *pack, uint64_t value);
void pack_int(struct pack *pack, int64_t value);

/* A text, cut at limit bytes (before a UTF-8 sequence that would be split); NULL is "". */
void pack_text(struct pack *pack, const char *text, size_t limit);

/* Bytes as they are. */
void pack_raw(struct pack *pack, const void *bytes, size_t size);

/* How an integer is written, by its sign and its number of significant bits. */
struct pack_form {
	uint8_t marker; /* first byte, where keep is 0 */
	uint8_t keep;   /* 0xff: the first byte is the value */
	uint8_t bytes;  /* of the payload */
	uint8_t shift;  /* that puts the payload at the top */
};
extern const struct pack_form pack_forms[2][64];

/* Write value at next; returns the byte behind it. */
static inline uint8_t *pack_column_int(uint8_t *next, int64_t value)
{
	uint64_t sign = (uint64_t)(value >> 63);
	unsigned bits = 63u ^ (unsigned)__builtin_clzll((((uint64_t)value ^ sign) << 1) | 1);
	struct pack_form form = pack_forms[sign & 1][bits];
	/* A fixint has no payload: 8 bytes of anything are stored and not counted. */
	uint64_t payload = __builtin_bswap64((uint64_t)value << form.shift);
	next[0] = form.marker | (form.keep & (uint8_t)value);
	memcpy(next + 1, &payload, sizeof(payload));
	return next + 1 + form.bytes;
}

/* The same of what is mostly small and not negative. */
static inline uint8_t *pack_small_int(uint8_t *next, uint64_t value)
{
	if (value > 127)
		return pack_column_int(next, (int64_t)value);
	*next = (uint8_t)value;
	return next + 1;
}

#endif
