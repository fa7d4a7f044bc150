/* SPDX-License-Identifier: MIT */
#include "preload/python/layout.h"

#include <stdlib.h>
#include <string.h>

/*
 * The published offsets are 64-bit words in groups; a group begins with the size of its object.
 * These are the numbers of the words, which moved from 3.13 to 3.14.
 */
struct words {
	unsigned current_frame; /* the word behind it is that of the thread's id */
	unsigned frame_size, previous, executable, instruction, locals, owner;
	unsigned code_size, filename, name, linetable, firstlineno, start;
	unsigned tuple_items;
	unsigned bytes_size, bytes_data;
	unsigned state, length, ascii_size;
};
/* clang-format off */
static const struct words words_3_13 = {
	.current_frame = 23,
	.frame_size = 28, .previous = 29, .executable = 30, .instruction = 31, .locals = 32,
	.owner = 33,
	.code_size = 34, .filename = 35, .name = 36, .linetable = 38, .firstlineno = 39,
	.start = 43, .tuple_items = 51,
	.bytes_size = 65, .bytes_data = 66, .state = 68, .length = 69, .ascii_size = 70,
};
static const struct words words_3_14 = {
	.current_frame = 26,
	.frame_size = 31, .previous = 32, .executable = 33, .instruction = 34, .locals = 35,
	.owner = 36,
	.code_size = 39, .filename = 40, .name = 41, .linetable = 43, .firstlineno = 44,
	.start = 48, .tuple_items = 57,
	.bytes_size = 75, .bytes_data = 76, .state = 78, .length = 79, .ascii_size = 80,
};
/* clang-format on */

#define WORD_COOKIE        "xdebugpy"
#define WORD_VERSION       1
#define WORD_FREE_THREADED 2

/* Offsets lie inside their objects, pointers are aligned, and the text layout is that of 3.12. */
static bool is_plausible(const uint64_t *word, const struct words *at)
{
	uint64_t frame = word[at->frame_size], code = word[at->code_size];
	const unsigned in_frame[] = {at->previous, at->executable, at->instruction};
	const unsigned in_code[] = {at->filename, at->name, at->linetable, at->start};
	if (frame < 64 || frame > 256 || code < 128 || code > 512)
		return false;
	for (unsigned i = 0; i < sizeof(in_frame) / sizeof(in_frame[0]); i++) {
		if (word[in_frame[i]] >= frame || word[in_frame[i]] % 8 != 0)
			return false;
	}
	for (unsigned i = 0; i < sizeof(in_code) / sizeof(in_code[0]); i++) {
		if (word[in_code[i]] >= code || word[in_code[i]] % 8 != 0)
			return false;
	}
	return word[at->locals] <= frame && word[at->locals] % 8 == 0 &&
	       word[at->tuple_items] < 64 && word[at->tuple_items] % 8 == 0 &&
	       word[at->owner] < frame && word[at->firstlineno] < code && word[at->start] >= 128 &&
	       word[at->current_frame] < 4096 && word[at->current_frame] % 8 == 0 &&
	       word[at->current_frame + 1] < 4096 && word[at->current_frame + 1] % 8 == 0 &&
	       word[at->state] == 32 && word[at->length] == 16 && word[at->ascii_size] == 40 &&
	       word[at->bytes_size] == 16 && word[at->bytes_data] == 32;
}

static const char *published(const struct python_version *version, struct python_layout *ret_layout)
{
	const uint64_t *word = version->runtime;
	const struct words *at = version->hex >> 16 == 0x030d ? &words_3_13 : &words_3_14;
	if (word == NULL || memcmp(word, WORD_COOKIE, 8) != 0)
		return "the interpreter publishes no offsets";
	if (word[WORD_VERSION] >> 16 != version->hex >> 16)
		return "the published offsets are of another version";
	if (word[WORD_FREE_THREADED] != 0)
		return "free-threaded builds are not supported";
	if (!is_plausible(word, at))
		return "the published offsets make no sense";
	*ret_layout = python_layout_3_12;
	ret_layout->thread_frame = (uint32_t)word[at->current_frame];
	ret_layout->link_frame = PYTHON_NO_LINK;
	ret_layout->thread_id = (uint32_t)word[at->current_frame + 1];
	ret_layout->frame_code = (uint32_t)word[at->executable];
	ret_layout->frame_previous = (uint32_t)word[at->previous];
	ret_layout->frame_at = (uint32_t)word[at->instruction];
	ret_layout->frame_owner = (uint32_t)word[at->owner];
	ret_layout->frame_locals = (uint32_t)word[at->locals];
	ret_layout->tuple_items = (uint32_t)word[at->tuple_items];
	ret_layout->code_file = (uint32_t)word[at->filename];
	ret_layout->code_name = (uint32_t)word[at->name];
	ret_layout->code_line = (uint32_t)word[at->firstlineno];
	ret_layout->code_table = (uint32_t)word[at->linetable];
	ret_layout->code_start = (uint32_t)word[at->start];
	ret_layout->code_marks = at == &words_3_14 ? 7 : 0;
	/* Not published; an int and a pointer before the instructions since 3.11. */
	ret_layout->code_traceable = ret_layout->code_start - 16;
	return NULL;
}

const char *python_layout(const struct python_version *version, struct python_layout *ret_layout)
{
	const struct python_layout *known = NULL;
	switch (version->hex >> 16) {
	case 0x0308:
	case 0x0309:
		known = &python_layout_3_8;
		break;
	case 0x030a:
		known = &python_layout_3_10;
		break;
	case 0x030b:
		known = &python_layout_3_11;
		break;
	case 0x030c:
		known = &python_layout_3_12;
		break;
	case 0x030d:
	case 0x030e:
		return published(version, ret_layout);
	default:
		return "this version of Python is not supported";
	}
	*ret_layout = *known;
	return NULL;
}

uint32_t python_version_hex(const char *text)
{
	char *end;
	if (text == NULL)
		return 0;
	unsigned long major = strtoul(text, &end, 10);
	if (end == text || *end != '.' || major > 255)
		return 0;
	text = end + 1;
	unsigned long minor = strtoul(text, &end, 10);
	if (end == text || minor > 255)
		return 0;
	unsigned long micro = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	return (uint32_t)(major << 24 | minor << 16 | (micro & 255) << 8);
}
