/* SPDX-License-Identifier: MIT */
/*
 * Python's objects as they lie in memory, made word by word: what the library reads of them, and
 * nothing else. Objects are arrays that are large enough, all zero before.
 */
#ifndef TEST_UNIT_PRELOAD_PYTHON_OBJECTS_H
#define TEST_UNIT_PRELOAD_PYTHON_OBJECTS_H

#include <stdint.h>
#include <string.h>

#include "preload/python/layout.h"

#define ASCII_STATE ((1u | 1u << 3 | 1u << 4) << 2) /* one byte a character, compact, ASCII */

static inline void put(uint64_t *object, uint32_t at, uint64_t value)
{
	memcpy((char *)object + at, &value, sizeof(value));
}

static inline uint64_t address(const void *object)
{
	return (uint64_t)(uintptr_t)object;
}

/* A str of ASCII characters. */
static inline void make_text(
	const struct python_layout *layout, uint64_t *object, const char *text, uint64_t hash)
{
	put(object, layout->text_length, strlen(text));
	put(object, layout->text_state, ASCII_STATE);
	put(object, PYTHON_TEXT_HASH, hash);
	memcpy((char *)object + layout->text_ascii, text, strlen(text));
}

#endif
