/* SPDX-License-Identifier: MIT */
/*
 * The chains of frames that calls came from, out to the user's, and the places that they stand for:
 * who comes the same way again is recognized by a look at each frame. A loop goes the same ways in
 * the same order: what is next in that is looked at first. Own thread only, nothing is allocated.
 */
#ifndef PRELOAD_PYTHON_TRAIL_H
#define PRELOAD_PYTHON_TRAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/python/layout.h"
#include "preload/python/site.h"

#define TRAIL_BITS    9
#define TRAIL_WAYS    8u         /* places that a chain may have */
#define TRAIL_FRAMES  29         /* longer chains are not remembered */
#define TRAIL_HEAD    4u         /* innermost frames by which a chain is looked for */
#define TRAIL_NO_CODE 0u         /* mark of a frame of the C stack */
#define TRAIL_ORDER   (1u << 14) /* a step that looks up more places is new each time */
#define TRAIL_ROUND   256        /* what comes again sooner is put down more than once */
#define SITE_BITS     10
#define PAIR_BITS     9

struct trail {
	struct trail_frame *last; /* of the frames: the user's */
	uint32_t place;           /* 0: none */
	uint32_t count;           /* of frames; more than TRAIL_FRAMES: not to be remembered */
	uint32_t number; /* where it is in the order, the last time that it was put there */
	struct trail_frame {
		uint64_t at, mark;
	} frames[TRAIL_FRAMES];
};

/*
 * The order in which trails came. As long as they come as they did before, from one place of it on,
 * that place goes on and nothing is put down; what was gone through is added when it ends there.
 */
struct trail_order {
	struct trail **from, **left; /* where that began; what was expected when another one came */
	uint32_t end;                /* where the next one is put */
	struct trail *trails[TRAIL_ORDER + 1]; /* behind what is there one that never comes */
};

struct trails {
	struct trail **expected; /* in the order */
	struct trail walked;     /* the one that is being found out */
	const char *end;         /* its last frame so far */
	struct trail known[1u << TRAIL_BITS];
	struct trail *heads[1u << TRAIL_BITS]; /* by their innermost frames; NULL: none */
	struct site sites[1u << SITE_BITS];
	struct pair pairs[1u << PAIR_BITS];
	struct trail_order order;
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
	tail ^= *(const uint64_t *)(const void *)(name + PYTHON_TEXT_HASH);
	/* addresses are added: what letters before ".py" differ by must not be what those may */
	return (tail << 24 | tail >> 40) + length + line;
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

/* The chain from frame (not NULL) outward is it. In between the objects alone are compared. */
static inline __attribute__((always_inline)) bool trail_is(
	const struct python_layout *layout, const struct trail *trail, const char *frame)
{
	const struct trail_frame *known = trail->frames, *last = trail->last;
	if (!trail_passes(layout, known, frame, true))
		return false;
	if (trail->count == 1)
		return true;
	for (known++; known != last; known++) {
		frame = trail_pointer(frame, layout->frame_previous);
		if (frame == NULL || !trail_passes(layout, known, frame, false))
			return false;
	}
	frame = trail_pointer(frame, layout->frame_previous);
	return frame != NULL && trail_passes(layout, last, frame, true);
}

/* The expected trail if the chain from frame (not NULL) outward is it, else NULL. */
static inline __attribute__((always_inline)) const struct trail *trails_find(
	const struct python_layout *layout, struct trails *trails, const char *frame)
{
	const struct trail *trail = *trails->expected;
	if (!trail_is(layout, trail, frame))
		return NULL;
	trails->expected++;
	return trail;
}

/* How all frames lie; then zeroed memory, or what an earlier thread has left, for a thread. */
void trails_use(const struct python_layout *layout);
void trails_begin(struct trails *trails);

/* The place of a chain that is not the expected one, 0: none. From now on it may be known. */
uint32_t trails_walk(struct trails *trails, const char *frame);

#endif
