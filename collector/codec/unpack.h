/* SPDX-License-Identifier: MIT */
/*
 * A bounded cursor over msgpack bytes that nobody vouches for. Every function
 * returns false when the bytes are not of the wanted type or end too early, and
 * leaves the cursor at the value that is wrong. Counts are never believed beyond the
 * bytes that are left, nothing recurses, nothing is allocated.
 */
#ifndef COLLECTOR_CODEC_UNPACK_H
#define COLLECTOR_CODEC_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unpack {
	const uint8_t *next;
	const uint8_t *end;
};

static inline void unpack_init(struct unpack *unpack, const void *bytes, size_t size)
{
	unpack->next = bytes;
	unpack->end = unpack->next + size;
}

static inline size_t unpack_left(const struct unpack *unpack)
{
	return (size_t)(unpack->end - unpack->next);
}

/* Counts of elements and of pairs; at least as many bytes are left. */
bool unpack_array(struct unpack *unpack, uint32_t *ret_count);
bool unpack_map(struct unpack *unpack, uint32_t *ret_count);

/* An integer of any form; above INT64_MAX its bits. */
bool unpack_int(struct unpack *unpack, int64_t *ret_value);

/* A text (or bin), not terminated, inside the bytes. */
bool unpack_text(struct unpack *unpack, const char **ret_text, size_t *ret_length);

/* Step over one value of any type and everything in it. */
bool unpack_skip(struct unpack *unpack);

/* The hot loop: exactly count integers into ret_values. */
bool unpack_ints(struct unpack *unpack, uint32_t count, int64_t *ret_values);

#endif
