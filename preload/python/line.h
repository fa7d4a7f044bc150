/* SPDX-License-Identifier: MIT */
/*
 * From the position in a code object to the line, and from a str object to UTF-8:
 * what the interpreter's own functions do, without the GIL, without an allocation, and
 * bounded by the sizes given. Pure functions over memory that the caller vouches for; any thread.
 */
#ifndef PRELOAD_PYTHON_LINE_H
#define PRELOAD_PYTHON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/python/layout.h"

/* A code object's table of lines. */
struct python_lines {
	enum python_table kind;
	const uint8_t *table;
	size_t size;
	int first; /* co_firstlineno */
};

/* Line of the instruction at offset bytes; -1 when it has none (code that the compiler added). */
int python_line(const struct python_lines *lines, int offset);

/*
 * Bytes of a str object up to the end of its text, read from its first PYTHON_TEXT_HEADER bytes; 0
 * for what is no compact str.
 */
#define PYTHON_TEXT_HEADER 40u
size_t python_text_bytes(const struct python_layout *layout, const void *header);

/*
 * Write a str object's text into text as UTF-8, cut at a character so that it fits into size
 * bytes (not terminated). Lone surrogates become U+FFFD. Returns the length, 0 for what is no
 * compact str.
 */
size_t python_text(const struct python_layout *layout, const void *object, char *text, size_t size);

/*
 * False for the standard library, installed packages and generated code: what a user did not
 * write. function decides about "<string>": a module there is the argument of python -c, anything
 * else is generated.
 */
bool python_is_user(const char *file, size_t length, const char *function, size_t function_length);

#endif
