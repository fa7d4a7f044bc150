/* SPDX-License-Identifier: MIT */
#include "collector/codec/unpack.h"

#include <string.h>

#include "collector/base/banned.h"

/* Big-endian number of bytes bytes at at. */
static uint64_t load_be(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

/* Payload bytes that follow the first byte in which a length or number is stored. */
static bool take_number(struct unpack *unpack, unsigned bytes, uint64_t *ret_number)
{
	if (unpack_left(unpack) < 1 + (size_t)bytes)
		return false;
	*ret_number = load_be(unpack->next + 1, bytes);
	unpack->next += 1 + bytes;
	return true;
}

/* A header that is either first|count, or wide with 16 bits, or wide + 1 with 32 bits of count. */
static bool take_count(struct unpack *unpack, uint8_t first, uint8_t wide, uint32_t *ret_count)
{
	const uint8_t *before = unpack->next;
	uint64_t count = 0;
	if (unpack_left(unpack) == 0)
		return false;
	uint8_t byte = *before;
	if ((byte & 0xf0) == first) {
		unpack->next++;
		count = byte & 0x0f;
	} else if (byte != wide && byte != wide + 1) {
		return false;
	} else if (!take_number(unpack, byte == wide ? 2 : 4, &count)) {
		return false;
	}
	if (count > unpack_left(unpack)) {
		unpack->next = before;
		return false;
	}
	*ret_count = (uint32_t)count;
	return true;
}

bool unpack_array(struct unpack *unpack, uint32_t *ret_count)
{
	return take_count(unpack, 0x90, 0xdc, ret_count);
}

bool unpack_map(struct unpack *unpack, uint32_t *ret_count)
{
	return take_count(unpack, 0x80, 0xde, ret_count);
}

/* A value of one byte: the byte with its sign. */
static inline int64_t short_value(uint8_t byte)
{
	return (int64_t)((uint64_t)byte << 56) >> 56;
}

bool unpack_int(struct unpack *unpack, int64_t *ret_value)
{
	if (unpack_left(unpack) == 0)
		return false;
	uint8_t byte = *unpack->next;
	if (byte >= 0x80 && byte < 0xe0)
		return unpack_ints(unpack, 1, ret_value);
	*ret_value = short_value(byte);
	unpack->next++;
	return true;
}

bool unpack_text(struct unpack *unpack, const char **ret_text, size_t *ret_length)
{
	const uint8_t *before = unpack->next;
	uint64_t length = 0;
	if (unpack_left(unpack) == 0)
		return false;
	uint8_t byte = *before;
	if ((byte & 0xe0) == 0xa0) {
		unpack->next++;
		length = byte & 0x1f;
	} else if (byte >= 0xd9 && byte <= 0xdb) {
		if (!take_number(unpack, 1u << (byte - 0xd9), &length))
			return false;
	} else if (byte < 0xc4 || byte > 0xc6 ||
		   !take_number(unpack, 1u << (byte - 0xc4), &length)) {
		return false;
	}
	if (length > unpack_left(unpack)) {
		unpack->next = before;
		return false;
	}
	*ret_text = (const char *)unpack->next;
	*ret_length = (size_t)length;
	unpack->next += length;
	return true;
}

/* Size of a value by its first byte, 0xc0 to 0xdf, if it is fixed; 0: otherwise. */
static unsigned scalar_bytes(uint8_t byte)
{
	static const uint8_t bytes[32] = {
		1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 5, 9, 2, 3, 5,
		9, /* nil to uint 64; 0xc1 is never used */
		2, 3, 5, 9, 3, 4, 6, 10, 18, 0, 0, 0, 0, 0, 0, 0, /* int 8 to fixext 16 */
	};
	return bytes[byte - 0xc0];
}

/* An ext with a stored length: that and the type are headers, the rest is payload. */
static bool skip_ext(struct unpack *unpack)
{
	uint64_t length;
	if (!take_number(unpack, 1u << (*unpack->next - 0xc7), &length) ||
		length + 1 > unpack_left(unpack))
		return false;
	unpack->next += length + 1;
	return true;
}

/* Step over the head of one value; *ret_inside gets the number of values in it. */
static bool skip_head(struct unpack *unpack, uint64_t *ret_inside)
{
	uint8_t byte = *unpack->next;
	uint32_t count = 0;
	const char *text;
	size_t length;
	*ret_inside = 0;
	if (byte < 0x80 || byte >= 0xe0) {
		unpack->next++;
		return true;
	}
	if (byte <= 0x8f || byte == 0xde || byte == 0xdf) {
		bool fine = unpack_map(unpack, &count);
		*ret_inside = 2ull * count;
		return fine;
	}
	if (byte <= 0x9f || byte == 0xdc || byte == 0xdd) {
		bool fine = unpack_array(unpack, &count);
		*ret_inside = count;
		return fine;
	}
	if (byte >= 0xc7 && byte <= 0xc9)
		return skip_ext(unpack);
	if (byte <= 0xbf || scalar_bytes(byte) == 0)
		return unpack_text(unpack, &text, &length);
	if (scalar_bytes(byte) > unpack_left(unpack))
		return false;
	unpack->next += scalar_bytes(byte);
	return true;
}

bool unpack_skip(struct unpack *unpack)
{
	/* Values still to be stepped over; each needs a byte, which bounds depth and time. */
	for (uint64_t todo = 1; todo > 0; todo--) {
		uint64_t inside;
		if (todo > unpack_left(unpack) || !skip_head(unpack, &inside))
			return false;
		todo += inside;
	}
	return true;
}

/* How to read an integer from its first byte: value = (8 bytes at offset >> shift) & mask. */
struct int_form {
	uint8_t size; /* in all; 0: no integer */
	uint8_t offset;
	uint8_t shift;
	uint64_t mask;
};

/* clang-format off */
#define FIXINT    {1, 0, 56, UINT64_MAX}
#define FIXINT_4  FIXINT, FIXINT, FIXINT, FIXINT
#define FIXINT_16 FIXINT_4, FIXINT_4, FIXINT_4, FIXINT_4
static const struct int_form int_forms[256] = {
	FIXINT_16, FIXINT_16, FIXINT_16, FIXINT_16, FIXINT_16, FIXINT_16, FIXINT_16, FIXINT_16,
	[0xcc] = {2, 1, 56, 0xff}, [0xcd] = {3, 1, 48, 0xffff},
	[0xce] = {5, 1, 32, 0xffffffff}, [0xcf] = {9, 1, 0, UINT64_MAX},
	[0xd0] = {2, 1, 56, UINT64_MAX}, [0xd1] = {3, 1, 48, UINT64_MAX},
	[0xd2] = {5, 1, 32, UINT64_MAX}, [0xd3] = {9, 1, 0, UINT64_MAX},
	[0xe0] = FIXINT_16, FIXINT_16,
};
/* clang-format on */

static int64_t int_value(const struct int_form *form, const uint8_t *at)
{
	uint64_t bytes;
	memcpy(&bytes, at + form->offset, sizeof(bytes));
	return (int64_t)((uint64_t)((int64_t)__builtin_bswap64(bytes) >> form->shift) & form->mask);
}

/* Of a row of values so many are taken at once, and so many bytes they have at most. */
#define ROW       8u
#define ROW_BYTES (ROW * 9u)

/* Values of one byte each, as most are. False: one of the bytes begins something longer. */
static inline bool take_short(const uint8_t *next, int64_t *ret_values)
{
	uint64_t bytes;
	memcpy(&bytes, next, sizeof(bytes));
	/* short: 0xxxxxxx or 111xxxxx */
	if ((bytes & ~(bytes << 1 & bytes << 2) & 0x8080808080808080u) != 0)
		return false;
#pragma GCC unroll 8
	for (unsigned i = 0; i < ROW; i++)
		ret_values[i] = short_value(next[i]);
	return true;
}

/*
 * Values of any length, at most a row of them, where that many bytes are left. Returns what comes
 * behind them; NULL: one is no integer, at which all that come after it would have been looked for
 * as well, so that only the last needs to be asked.
 */
static inline const uint8_t *take_any(const uint8_t *next, uint32_t count, int64_t *ret_values)
{
	unsigned size = 1;
#pragma GCC unroll 8
	for (uint32_t i = 0; i < count; i++) {
		const struct int_form *form = &int_forms[*next];
		ret_values[i] = int_value(form, next);
		size = form->size;
		next += size;
	}
	return size != 0 ? next : NULL;
}

/* Rows, and what is left of one; as many values as were good. */
static uint32_t take_rows(struct unpack *unpack, uint32_t count, int64_t *ret_values)
{
	const uint8_t *next = unpack->next, *after;
	uint32_t i = 0;
	for (; i < count && (size_t)(unpack->end - next) >= ROW_BYTES; next = after) {
		uint32_t some = count - i;
		if (some < ROW) {
			after = take_any(next, some, &ret_values[i]);
		} else {
			some = ROW;
			after = take_short(next, &ret_values[i])
					? next + ROW
					: take_any(next, ROW, &ret_values[i]);
		}
		if (after == NULL)
			break;
		i += some;
	}
	unpack->next = next;
	return i;
}

bool unpack_ints(struct unpack *unpack, uint32_t count, int64_t *ret_values)
{
	uint32_t i = take_rows(unpack, count, ret_values);
	const uint8_t *next = unpack->next;
	for (; i < count && next < unpack->end; i++) {
		/* The last bytes, by way of a copy behind which there is room. */
		uint8_t copy[2 * sizeof(uint64_t) + 1] = {0};
		size_t left = (size_t)(unpack->end - next);
		const struct int_form *form = &int_forms[*next];
		memcpy(copy, next, left < 9 ? left : 9);
		if (form->size == 0 || form->size > left)
			break;
		ret_values[i] = int_value(form, copy);
		next += form->size;
	}
	unpack->next = next;
	return i == count;
}
