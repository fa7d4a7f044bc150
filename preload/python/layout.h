/* SPDX-License-Identifier: MIT */
/*
 * Where a CPython interpreter keeps frames, code objects and texts: offsets in bytes
 * for default 64-bit builds. Up to 3.12 they are a table per minor version; from
 * 3.13 on the interpreter publishes them itself at the start of _PyRuntime. What is
 * not known (another version, a free-threaded build, offsets that make no sense) is refused
 * with a reason, because a wrong offset is a wrong pointer.
 *
 * Up to 3.10 a frame is a PyFrameObject and holds the position as an index; from 3.11 on
 * it is an interpreter frame and holds a pointer to the instruction, and frames of the C
 * stack stand between those of Python functions.
 */
#ifndef PRELOAD_PYTHON_LAYOUT_H
#define PRELOAD_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PYTHON_NO_LINK   UINT32_MAX
#define PYTHON_NO_FIELD  0u
#define PYTHON_TEXT_HASH 24u /* of a str, in all versions: its hash */

enum python_table {
	PYTHON_LNOTAB = 1, /* up to 3.9: pairs of increments */
	PYTHON_LINETABLE,  /* 3.10: pairs of length and change */
	PYTHON_LOCATIONS,  /* from 3.11 on: entries of varying length */
};

enum python_owner {
	PYTHON_OWNED_BY_GENERATOR = 1,
	PYTHON_OWNED_BY_C = 3, /* this and above: not a Python function */
};

struct python_layout {
	uint32_t thread_frame; /* in the thread state: the innermost frame, or what holds it */
	uint32_t link_frame;   /* then the frame therein, or PYTHON_NO_LINK */
	uint32_t thread_id;    /* in the thread state: pthread_self() of its thread */
	uint32_t frame_code, frame_previous, frame_at;
	uint32_t frame_owner;  /* PYTHON_NO_FIELD: frames have no owner and hold an index */
	uint32_t frame_locals; /* first local variable */
	uint32_t tuple_items;
	uint32_t code_file, code_name, code_line, code_table;
	uint32_t code_start;     /* first instruction */
	uint32_t code_traceable; /* index of the first instruction that counts as begun */
	uint32_t text_length, text_state, text_ascii, text_compact;
	uint32_t bytes_size, bytes_data;
	uint32_t at_scale;     /* bytes per step of the index */
	uint32_t code_marks;   /* low bits of a frame's code that are none of the address */
	uint32_t has_c_frames; /* not 0: frames of the C stack stand between the others */
	enum python_table table;
};

/* Those that are known beforehand: code that is made for one of them needs to look up no offset. */
/* clang-format off */
static const struct python_layout python_layout_3_8 = { /* and 3.9 */
	.thread_frame = 24, .link_frame = PYTHON_NO_LINK, .thread_id = 176,
	.frame_code = 32, .frame_previous = 24, .frame_at = 104, .frame_locals = 360,
	.code_file = 104, .code_name = 112, .code_line = 40, .code_table = 120,
	.text_length = 16, .text_state = 32, .text_ascii = 48, .text_compact = 72,
	.bytes_size = 16, .bytes_data = 32, .tuple_items = 24,
	.at_scale = 1, .table = PYTHON_LNOTAB,
};
static const struct python_layout python_layout_3_10 = {
	.thread_frame = 24, .link_frame = PYTHON_NO_LINK, .thread_id = 176,
	.frame_code = 32, .frame_previous = 24, .frame_at = 96, .frame_locals = 352,
	.code_file = 104, .code_name = 112, .code_line = 40, .code_table = 120,
	.text_length = 16, .text_state = 32, .text_ascii = 48, .text_compact = 72,
	.bytes_size = 16, .bytes_data = 32, .tuple_items = 24,
	.at_scale = 2, .table = PYTHON_LINETABLE,
};
static const struct python_layout python_layout_3_11 = {
	.thread_frame = 56, .link_frame = 8, .thread_id = 152,
	.frame_code = 32, .frame_previous = 48, .frame_at = 56, .frame_owner = 69,
	.frame_locals = 72,
	.code_file = 112, .code_name = 120, .code_line = 72, .code_table = 136,
	.code_start = 184, .code_traceable = 168,
	.text_length = 16, .text_state = 32, .text_ascii = 48, .text_compact = 72,
	.bytes_size = 16, .bytes_data = 32, .tuple_items = 24,
	.at_scale = 1, .table = PYTHON_LOCATIONS,
};
static const struct python_layout python_layout_3_12 = {
	.thread_frame = 56, .link_frame = 0, .thread_id = 136,
	.frame_code = 0, .frame_previous = 8, .frame_at = 56, .frame_owner = 70,
	.frame_locals = 72,
	.code_file = 112, .code_name = 120, .code_line = 68, .code_table = 136,
	.code_start = 192, .code_traceable = 176,
	.text_length = 16, .text_state = 32, .text_ascii = 40, .text_compact = 56,
	.bytes_size = 16, .bytes_data = 32, .tuple_items = 24,
	.at_scale = 1, .has_c_frames = 1, .table = PYTHON_LOCATIONS,
};
/* As an interpreter of this version is expected to publish it. */
static const struct python_layout python_layout_3_13 = {
	.thread_frame = 72, .link_frame = PYTHON_NO_LINK, .thread_id = 152,
	.frame_code = 0, .frame_previous = 8, .frame_at = 56, .frame_owner = 70,
	.frame_locals = 72,
	.code_file = 112, .code_name = 120, .code_line = 68, .code_table = 136,
	.code_start = 200, .code_traceable = 184,
	.text_length = 16, .text_state = 32, .text_ascii = 40, .text_compact = 56,
	.bytes_size = 16, .bytes_data = 32, .tuple_items = 24,
	.at_scale = 1, .has_c_frames = 1, .table = PYTHON_LOCATIONS,
};
/* clang-format on */

/* hex is a PY_VERSION_HEX; runtime the address of _PyRuntime, read from 3.13 on only. */
struct python_version {
	uint32_t hex;
	const void *runtime;
};

/*
 * Returns NULL and fills *ret_layout, or the reason (static text) why the interpreter is not
 * known.
 */
const char *python_layout(const struct python_version *version, struct python_layout *ret_layout);

/*
 * The PY_VERSION_HEX of a text like "3.11.7 (main, ...)", without release level; 0 if it is none.
 */
uint32_t python_version_hex(const char *text);

#endif
