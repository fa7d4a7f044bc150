/* SPDX-License-Identifier: MIT */
/*
 * The chains of frames that calls came from, out to the user's, and the places that they stand for:
 * who comes the same way again is recognized by a look at each frame. A loop goes the same ways in
 * the same order, so each trail says which one came after it: that is looked at first, then the
 * one that began with the same frames. Own thread only, nothing is allocated.
 */
#ifndef PRELOAD_PYTHON_TRAIL_H
#define PRELOAD_PYTHON_TRAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/python/layout.h"

#define TRAIL_BITS    9
#define TRAIL_FRAMES  29 /* longer chains are not remembered */
#define TRAIL_HEAD    4u /* innermost frames by which a chain is looked for */
#define TRAIL_NO_CODE 0u /* mark of a frame of the C stack */
#define SITE_BITS     10
#define PAIR_BITS     9
#define TEXT_HASH_AT  24u /* of a str: its hash */

struct trail {
	struct trail *next;       /* that came after it last */
	struct trail_frame *last; /* of the frames: the user's */
	uint32_t place;           /* 0: none */
	uint32_t count;           /* of frames; more than TRAIL_FRAMES: not to be remembered */
	struct trail_frame {
		uint64_t at, mark;
	} frames[TRAIL_FRAMES];
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

struct trails {
	struct trail **expected; /* the next of the last; neither is NULL after trails_begin() */
	struct trail walked;     /* the one that is being found out */
	const char *end;         /* its last frame so far */
	struct trail known[1u << TRAIL_BITS];
	struct trail *heads[1u << TRAIL_BITS]; /* by their innermost frames; NULL: none */
	struct site sites[1u << SITE_BITS];
	struct pair pairs[1u << PAIR_BITS];
};

static inline const char *trail_pointer(const char *base, uint32_t offset)
{
	return *(const char *const *)(const void *)(base + offset);
}

/*
 * A code object made where one was freed often has its texts where those were. So contents count:
 * the (interned) name's hash, the first line, the file name's last eight bytes of whatever width.
 */
static inline __attribute__((always_inline)) uint64_t python_mark(
	const struct python_layout *layout, const char *code, const char *file)
{
	const char *name = trail_pointer(code, layout->code_name);
	uint64_t length = *(const uint64_t *)(const void *)(file + layout->text_length);
	uint64_t tail, line; /* with what lies behind it in the code object */
	memcpy(&tail, file + layout->text_ascii + length - sizeof(tail), sizeof(tail));
	memcpy(&line, code + layout->code_line, sizeof(line));
	return (*(const uint64_t *)(const void *)(name + TEXT_HASH_AT) ^ tail) + length + line;
}

static inline __attribute__((always_inline)) uint64_t trail_at(
	const struct python_layout *layout, const char *frame)
{
	if (layout->frame_owner == PYTHON_NO_FIELD)
		return *(const uint32_t *)(const void *)(frame + layout->frame_at);
	return *(const uint64_t *)(const void *)(frame + layout->frame_at);
}

/* The objects themselves count as well, each with a weight of its own. */
static inline __attribute__((always_inline)) uint64_t trail_mark(
	const struct python_layout *layout, const char *frame, bool with_texts)
{
	const char *code = trail_pointer(frame, layout->frame_code);
	if (layout->code_marks != 0)
		code = (const char *)((uintptr_t)code & ~(uintptr_t)layout->code_marks);
	const char *file = trail_pointer(code, layout->code_file);
	uint64_t mark = (uint64_t)(uintptr_t)trail_pointer(code, layout->code_table) +
			2 * (uint64_t)(uintptr_t)file;
	/* Where the position is an index it does not say of which code object. */
	if (layout->frame_owner == PYTHON_NO_FIELD)
		mark += 8 * (uint64_t)(uintptr_t)code;
	return with_texts ? python_mark(layout, code, file) + mark : mark;
}

static inline __attribute__((always_inline)) bool trail_passes(const struct python_layout *layout,
	const struct trail_frame *known, const char *frame, bool with_texts)
{
	if (trail_at(layout, frame) != known->at)
		return false;
	return (layout->has_c_frames && known->mark == TRAIL_NO_CODE) ||
	       trail_mark(layout, frame, with_texts) == known->mark;
}

/*
 * The expected trail if the chain from frame (not NULL) outward is it, else NULL. Between the first
 * frame and the user's only the objects are compared, not what their texts say.
 */
static inline __attribute__((always_inline)) const struct trail *trails_find(
	const struct python_layout *layout, struct trails *trails, const char *frame)
{
	struct trail *trail = *trails->expected;
	const struct trail_frame *known = trail->frames, *last = trail->last;
	if (!trail_passes(layout, known, frame, true))
		return NULL;
	if (known != last) {
		for (known++; known != last; known++) {
			frame = trail_pointer(frame, layout->frame_previous);
			if (frame == NULL || !trail_passes(layout, known, frame, false))
				return NULL;
		}
		frame = trail_pointer(frame, layout->frame_previous);
		if (frame == NULL || !trail_passes(layout, last, frame, true))
			return NULL;
	}
	trails->expected = &trail->next;
	return trail;
}

/* How all frames lie from now on; of zeroed memory, or of what an earlier thread has left. */
void trails_use(const struct python_layout *layout);
void trails_begin(struct trails *trails);

/* The place of a chain that is not the expected one, 0: none. From now on it may be known. */
uint32_t trails_walk(struct trails *trails, const char *frame);

#endif
