/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/text.h"

#include <stdbool.h>
#include <string.h>

#include "collector/describe.h"

#define REPLACEMENT 0xfffdu

static uint32_t distinct;   /* texts that were new */
static uint32_t highest_id; /* ids rise, so a new text has a higher one than any before */

static bool is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

size_t nvtx_text_unnumbered(const char *text, size_t length, char *ret_text, size_t size)
{
	size_t at = 0;
	for (size_t i = 0; i < length && at + 1 < size; i++) {
		if (!is_digit(text[i]))
			ret_text[at++] = text[i];
		else if (i == 0 || !is_digit(text[i - 1]))
			ret_text[at++] = '#';
	}
	ret_text[at] = '\0';
	return at;
}

static uint32_t name_of(const char *text, size_t length)
{
	char plain[NVTX_TEXT_BYTES];
	if (__builtin_expect(__atomic_load_n(&distinct, __ATOMIC_RELAXED) >= NVTX_TEXT_NAMES, 0)) {
		length = nvtx_text_unnumbered(text, length, plain, sizeof(plain));
		text = plain;
	}
	uint32_t id = collector_name(text, length);
	if (__builtin_expect(id > __atomic_load_n(&highest_id, __ATOMIC_RELAXED), 0)) {
		__atomic_store_n(&highest_id, id, __ATOMIC_RELAXED);
		(void)__atomic_fetch_add(&distinct, 1, __ATOMIC_RELAXED);
	}
	return id;
}

uint32_t nvtx_text_narrow(const char *text)
{
	size_t length = text == NULL ? 0 : strnlen(text, NVTX_TEXT_BYTES);
	if (length == NVTX_TEXT_BYTES) {
		length--;
		while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	return length == 0 ? 0 : name_of(text, length);
}

uint32_t nvtx_text_wide(const wchar_t *text)
{
	char narrow[NVTX_TEXT_BYTES];
	size_t length = nvtx_text_utf8(text, narrow, sizeof(narrow));
	return length == 0 ? 0 : name_of(narrow, length);
}

static unsigned bytes_of(uint32_t letter)
{
	return letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
}

size_t nvtx_text_utf8(const wchar_t *wide, char *ret_text, size_t size)
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t at = 0;
	for (; wide != NULL && *wide != 0; wide++) {
		uint32_t letter = (uint32_t)*wide;
		if (letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000))
			letter = REPLACEMENT;
		unsigned bytes = bytes_of(letter);
		if (at + bytes >= size)
			break;
		for (unsigned i = bytes - 1; i > 0; i--, letter >>= 6)
			ret_text[at + i] = (char)(0x80 | (letter & 0x3f));
		ret_text[at] = (char)(lead[bytes] | letter);
		at += bytes;
	}
	ret_text[at] = '\0';
	return at;
}

/* Odd, so that it is no pointer that a program could have from elsewhere. */
const void *nvtx_text_handle(uint32_t name)
{
	return (const void *)((uintptr_t)name << 1 | 1);
}

uint32_t nvtx_text_of_handle(const void *handle)
{
	uintptr_t value = (uintptr_t)handle;
	return (value & 1) != 0 && value >> 1 <= UINT32_MAX ? (uint32_t)(value >> 1) : 0;
}
