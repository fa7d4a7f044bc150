/* SPDX-License-Identifier: MIT */
#include "preload/python/owner.h"

#include <string.h>

#include "preload/frameworks/frameworks.h"
#include "preload/python/line.h"

#define FRAME_LIMIT 16   /* the function is called by its framework, a few frames further in */
#define FILE_BYTES  2048 /* longer file names are cut, and do not fit */
#define NAME_BYTES  64
#define TYPE_AT     8  /* of an object: its type */
#define SIZE_AT     16 /* of a tuple: how many items */
#define MARKS       7  /* low bits of a pointer that are none of the address */

static const char *pointer_at(const char *base, uint32_t offset)
{
	return (const char *)(*(const uintptr_t *)(const void *)(base + offset) &
			      ~(uintptr_t)MARKS);
}

static bool is_type(const char *object, const char *type)
{
	return object != NULL && type != NULL && pointer_at(object, TYPE_AT) == type;
}

/* The str at offset of the code object ends like that, or is that. */
static bool ends_with(const struct python_layout *layout, const char *text, const char *end)
{
	char bytes[FILE_BYTES];
	size_t length = python_text(layout, text, bytes, sizeof(bytes)), wanted = strlen(end);
	return length >= wanted && memcmp(bytes + length - wanted, end, wanted) == 0;
}

static bool is_called(const struct python_layout *layout, const char *text, const char *name)
{
	char bytes[NAME_BYTES];
	size_t length = python_text(layout, text, bytes, sizeof(bytes));
	return length == strlen(name) && memcmp(bytes, name, length) == 0;
}

static bool is_function(const struct python_layout *layout, const char *frame, const char *function,
	const char *file)
{
	bool is_python = layout->frame_owner == PYTHON_NO_FIELD ||
			 *(const uint8_t *)(frame + layout->frame_owner) < PYTHON_OWNED_BY_C;
	const char *code = pointer_at(frame, layout->frame_code);
	return is_python && is_type(code, frameworks.python_code_type) &&
	       is_called(layout, pointer_at(code, layout->code_name), function) &&
	       ends_with(layout, pointer_at(code, layout->code_file), file);
}

uint64_t owner_of(const struct python_layout *layout, const char *frame, const char *function,
	const char *file)
{
	for (int depth = 0; frame != NULL && depth < FRAME_LIMIT; depth++) {
		if (is_function(layout, frame, function, file)) {
			const char *given = pointer_at(frame, layout->frame_locals);
			if (!is_type(given, frameworks.python_tuple_type) ||
				*(const int64_t *)(const void *)(given + SIZE_AT) < 1)
				return 0;
			return (uint64_t)(uintptr_t)pointer_at(given, layout->tuple_items);
		}
		frame = pointer_at(frame, layout->frame_previous);
	}
	return 0;
}
