/* SPDX-License-Identifier: MIT */
#include "preload/python/check.h"

#include "preload/frameworks/frameworks.h"
#include "preload/python/line.h"
#include "preload/thread/peek.h"

#define FRAMES     4
#define STEPS      32
#define CODE_LIMIT (64 << 20)
#define TEXT_LIMIT (1 << 20)
#define TYPE_AT    8  /* of an object: its type */
#define SIZE_AT    16 /* of an object of variable size: its length */

static bool pointer_of(const char *base, uint32_t offset, const char **ret_pointer)
{
	return peek(base + offset, ret_pointer, sizeof(*ret_pointer));
}

static bool is_of_type(const char *object, const char *type)
{
	const char *found;
	return object != NULL && ((uintptr_t)object & 7) == 0 &&
	       pointer_of(object, TYPE_AT, &found) && found == type;
}

static bool is_text(const struct python_layout *layout, const char *object)
{
	int64_t length;
	uint32_t word;
	if (!is_of_type(object, frameworks.python_text_type) ||
		!peek(object + layout->text_length, &length, sizeof(length)) ||
		!peek(object + layout->text_state, &word, sizeof(word)))
		return false;
	char probe[4];
	return length >= 0 && length < TEXT_LIMIT &&
	       (length == 0 || python_text(layout, object, probe, sizeof(probe)) > 0);
}

/* The position is in the code, or just before it while the function is being entered. */
static bool is_inside(const struct python_layout *layout, const char *frame, const char *code)
{
	if (layout->frame_owner == PYTHON_NO_FIELD) {
		int32_t index;
		return peek(frame + layout->frame_at, &index, sizeof(index)) && index >= -1 &&
		       index < CODE_LIMIT;
	}
	const char *at;
	int64_t units;
	if (!pointer_of(frame, layout->frame_at, &at) ||
		!peek(code + SIZE_AT, &units, sizeof(units)))
		return false;
	int64_t offset = at - (code + layout->code_start);
	return units > 0 && units < CODE_LIMIT && offset >= -2 && offset < units * 2;
}

static const char *check_frame(
	const struct python_layout *layout, const char *frame, const char *code)
{
	const char *file, *name, *table;
	int32_t line;
	if (!is_of_type(code, frameworks.python_code_type))
		return "a frame holds no code object";
	if (!pointer_of(code, layout->code_file, &file) ||
		!pointer_of(code, layout->code_name, &name) || !is_text(layout, file) ||
		!is_text(layout, name))
		return "a code object holds no file name";
	if (!pointer_of(code, layout->code_table, &table) ||
		!is_of_type(table, frameworks.python_bytes_type))
		return "a code object holds no table of lines";
	if (!peek(code + layout->code_line, &line, sizeof(line)) || line < 0)
		return "a code object holds no first line";
	return is_inside(layout, frame, code) ? NULL : "a frame's position is outside its code";
}

bool python_check(const struct python_layout *layout, const char *thread, const char **ret_reason)
{
	const char *frame;
	int sound = 0;
	*ret_reason = NULL;
	bool readable = pointer_of(thread, layout->thread_frame, &frame);
	if (readable && layout->link_frame != PYTHON_NO_LINK && frame != NULL)
		readable = pointer_of(frame, layout->link_frame, &frame);
	for (int steps = 0; readable && frame != NULL && sound < FRAMES && steps < STEPS; steps++) {
		const char *code;
		uint8_t owner = 0;
		readable = pointer_of(frame, layout->frame_code, &code);
		if (readable && layout->frame_owner != PYTHON_NO_FIELD)
			readable = peek(frame + layout->frame_owner, &owner, sizeof(owner));
		if (readable && owner < PYTHON_OWNED_BY_C) {
			*ret_reason = check_frame(layout, frame, code - ((uintptr_t)code & 7));
			if (*ret_reason != NULL)
				return false;
			sound++;
		}
		readable = readable && pointer_of(frame, layout->frame_previous, &frame);
	}
	if (!readable)
		*ret_reason = "frames lie at unreadable addresses";
	return readable && sound > 0;
}
