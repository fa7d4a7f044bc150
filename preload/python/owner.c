/* SPDX-License-Identifier: MIT */
#include "preload/python/owner.h"

#include <string.h>

#include "preload/frameworks/frameworks.h"
#include "preload/python/line.h"

#define FRAME_LIMIT 16   /* the function is called by its framework, a few frames further in */
#define OUTER_LIMIT 64   /* the function calls what the user has written */
#define FILE_BYTES  2048 /* longer file names are cut, and do not fit */
#define NAME_BYTES  64
#define TYPE_AT     8  /* of an object: its type */
#define SIZE_AT     16 /* of a tuple: how many items */
#define DIGIT_AT    24 /* of an int: its lowest digit */
#define INT_KEPT    4  /* a bit of the same of an int */
#define POINTER     8
#define MARKS       7 /* low bits of a pointer that are none of the address */

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
	size_t wanted = strlen(name);
	/* most are not: their characters need not be looked at */
	if (text == NULL || *(const uint64_t *)(const void *)(text + layout->text_length) != wanted)
		return false;
	size_t length = python_text(layout, text, bytes, sizeof(bytes));
	return length == wanted && memcmp(bytes, name, length) == 0;
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

/* Any function of a file with that in its path. */
static bool is_in(const struct python_layout *layout, const char *frame, const char *path)
{
	char bytes[FILE_BYTES];
	const char *code = pointer_at(frame, layout->frame_code);
	if (!is_type(code, frameworks.python_code_type))
		return false;
	size_t length =
		python_text(layout, pointer_at(code, layout->code_file), bytes, sizeof(bytes));
	return memmem(bytes, length, path, strlen(path)) != NULL;
}

/* Of a frame of that function. */
static uint64_t first_given(const struct python_layout *layout, const char *frame)
{
	const char *given = pointer_at(frame, layout->frame_locals);
	if (!is_type(given, frameworks.python_tuple_type) ||
		*(const int64_t *)(const void *)(given + SIZE_AT) < 1)
		return 0;
	return (uint64_t)(uintptr_t)pointer_at(given, layout->tuple_items);
}

/* The innermost frame whose code has the place and the texts of the one found; NULL: none. */
static const char *found_again(const struct python_layout *layout, const char *frame,
	const char *function, const struct owner_found *found)
{
	if (found->function != function)
		return NULL;
	for (int depth = 0; frame != NULL && depth < FRAME_LIMIT; depth++) {
		if (pointer_at(frame, layout->frame_code) == found->code)
			return pointer_at(found->code, layout->code_name) == found->name &&
					       pointer_at(found->code, layout->code_file) ==
						       found->file
				       ? frame
				       : NULL;
		frame = pointer_at(frame, layout->frame_previous);
	}
	return NULL;
}

static void keep(const struct python_layout *layout, const char *frame, const char *function,
	struct owner_found *found)
{
	found->function = function;
	found->code = pointer_at(frame, layout->frame_code);
	found->name = pointer_at(found->code, layout->code_name);
	found->file = pointer_at(found->code, layout->code_file);
}

uint64_t owner_of(const struct python_layout *layout, const char *frame, const char *function,
	const char *file, struct owner_found *found)
{
	const char *again = function != NULL ? found_again(layout, frame, function, found) : NULL;
	if (again != NULL)
		return first_given(layout, again);
	for (int depth = 0; frame != NULL && depth < FRAME_LIMIT; depth++) {
		if (function == NULL && is_in(layout, frame, file))
			return 1;
		if (function != NULL && is_function(layout, frame, function, file)) {
			keep(layout, frame, function, found);
			return first_given(layout, frame);
		}
		frame = pointer_at(frame, layout->frame_previous);
	}
	return 0;
}

/*
 * An int of one digit, not negative. How many digits it has is a number up to 3.11; since then it
 * is shifted by three, and the lowest two bits say that it is zero or negative; since 3.14 the
 * third one that it is kept for ever.
 */
static bool small_number(const char *object, uint32_t *ret_number)
{
	if (!is_type(object, frameworks.python_int_type))
		return false;
	uint64_t tag = *(const uint64_t *)(const void *)(object + SIZE_AT);
	uint64_t size = tag & ~(uint64_t)INT_KEPT;
	*ret_number = *(const uint32_t *)(const void *)(object + DIGIT_AT);
	return size == 1u << 3 || (size <= 1 && tag != INT_KEPT);
}

bool owner_numbers(const struct python_layout *layout, const char *frame,
	const struct owner_numbers *wanted, uint32_t ret_numbers[2])
{
	int depth = 0;
	while (frame != NULL && !is_function(layout, frame, wanted->function, wanted->file)) {
		frame = pointer_at(frame, layout->frame_previous);
		if (++depth == OUTER_LIMIT)
			return false;
	}
	for (unsigned i = 0; frame != NULL && i < 2; i++) {
		uint32_t at = layout->frame_locals + wanted->at[i] * POINTER;
		if (!small_number(pointer_at(frame, at), &ret_numbers[i]))
			return false;
	}
	return frame != NULL;
}

bool owner_runs(const struct python_layout *layout, const char *frame, const char *function,
	const char *file)
{
	for (int depth = 0; frame != NULL && depth < OUTER_LIMIT; depth++) {
		const char *code = pointer_at(frame, layout->frame_code);
		if (is_type(code, frameworks.python_code_type) &&
			ends_with(layout, pointer_at(code, layout->code_file), file))
			return is_called(layout, pointer_at(code, layout->code_name), function);
		frame = pointer_at(frame, layout->frame_previous);
	}
	return false;
}
