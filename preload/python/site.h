/* SPDX-License-Identifier: MIT */
/*
 * What a position in a code object is as ids: file, function, line, and the place when it is the
 * user's. Needs the objects that hold it, or copies of them; asked once per position, so it may
 * take a microsecond. No reference is taken, nothing is allocated. Any thread.
 */
#ifndef PRELOAD_PYTHON_SITE_H
#define PRELOAD_PYTHON_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/python/layout.h"

/* A position, with readable objects: the code object, its texts and its table of lines. */
struct site_source {
	const char *code, *file, *name, *table;
	int offset; /* in bytes from the first instruction */
	bool begun; /* the frame counts whatever its position is, as a generator's does */
};

struct site_names {
	uint32_t file, name;
	bool user; /* not of an installed package */
	bool core; /* python_is_core(), of what is not the user's */
};

struct site_ids {
	uint32_t file, name;
	uint32_t line;  /* 0: the frame does not count, it has not begun */
	uint32_t place; /* 0: not the user's */
	bool core;      /* python_is_core(), of what is not the user's */
};

/* What is known of a position in a code object, and what the code object held then. */
struct site {
	const char *code;
	uint64_t at;
	const char *file, *name, *table;
	uint64_t mark; /* python_mark() */
	uint32_t file_id, name_id;
	uint32_t line;  /* 0: the frame does not count; with SITE_CORE */
	uint32_t place; /* 0: not the user's */
};

/* Places whose innermost frame is not the user's; all ids, so nothing can be out of date. */
struct pair {
	uint32_t file, name, line;
	uint32_t user_file, user_name, user_line;
	uint32_t library_file, library_name, library_line;
	uint32_t place, used;
};

static inline bool site_is_same(const struct site_ids *a, const struct site_ids *b)
{
	return a->file == b->file && a->name == b->name && a->line == b->line &&
	       a->place == b->place;
}

/* The offset of what a frame has as its position: an index or an address. */
static inline int site_offset(const struct python_layout *layout, const char *code, uint64_t at)
{
	if (layout->frame_owner == PYTHON_NO_FIELD)
		return (int32_t)at * (int)layout->at_scale;
	return (int)(at - (uint64_t)(uintptr_t)(code + layout->code_start));
}

/* Its texts, which are the same for all positions of a code object. */
struct site_names site_names(const struct python_layout *layout, const struct site_source *source);

/* Its line; 0: the frame does not count. Needs no texts. */
uint32_t site_line(const struct python_layout *layout, const struct site_source *source);

struct site_ids site_ids(const struct site_names *names, uint32_t line);

#endif
