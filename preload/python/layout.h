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

#define PYTHON_NO_LINK  UINT32_MAX
#define PYTHON_NO_FIELD 0u

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
	uint32_t at_scale; /* bytes per step of the index */
	enum python_table table;
};

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
