/* SPDX-License-Identifier: MIT */
#include "analyzer/compiled/compiled.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REGION    "Torch-Compiled Region: "
#define LAST_SEEN 63u

/* "F/C" behind REGION; others, of compiled backward passes, are no frames of the program. */
static bool parse(const char *name, uint32_t *ret_frame, uint32_t *ret_compilation)
{
	char *end;
	if (name == NULL || strncmp(name, REGION, sizeof(REGION) - 1) != 0)
		return false;
	const char *at = name + sizeof(REGION) - 1;
	if (*at < '0' || *at > '9')
		return false;
	unsigned long frame = strtoul(at, &end, 10);
	if (end[0] != '/' || end[1] < '0' || end[1] > '9')
		return false;
	unsigned long compilation = strtoul(end + 1, &end, 10);
	*ret_frame = (uint32_t)frame;
	*ret_compilation = (uint32_t)compilation;
	return *end == '\0' && frame < UINT32_MAX && compilation < UINT32_MAX;
}

static struct compiled_frame *frame_of(struct compiled *compiled, uint32_t id)
{
	VEC_FOREACH (frame, &compiled->frames)
		if (frame->id == id)
			return frame;
	return NULL;
}

static uint64_t bit_of(uint32_t compilation)
{
	return 1ull << (compilation < LAST_SEEN ? compilation : LAST_SEEN);
}

static struct compiled_thread *thread_of(struct compiled *compiled, uint32_t id)
{
	VEC_FOREACH (thread, &compiled->threads)
		if (thread->id == id)
			return thread;
	const struct compiled_thread fresh = {.id = id};
	return vec_push(&compiled->threads, fresh) < 0
		       ? NULL
		       : &compiled->threads.items[compiled->threads.count - 1];
}

static int add_break(struct compiled *compiled, const struct lookup *lookup, uint32_t frame,
	uint32_t compilation, uint32_t place_id)
{
	const struct meta_PLACE *place = place_id != 0 ? lookup_place(lookup, place_id) : NULL;
	bool user = place != NULL && place->user_file != 0;
	struct compiled_break fresh = {.frame = frame, .place = place_id};
	if (place != NULL) {
		fresh.file = (uint32_t)(user ? place->user_file : place->file);
		fresh.line = (uint32_t)(user ? place->user_line : place->line);
	}
	VEC_FOREACH (one, &compiled->breaks) {
		if (one->frame == frame && one->file == fresh.file && one->line == fresh.line) {
			one->seen |= bit_of(compilation);
			one->calls++;
			return 0;
		}
	}
	if (compiled->breaks.count == COMPILED_BREAKS) {
		compiled->left_out++;
		return 0;
	}
	fresh.seen = bit_of(compilation);
	fresh.calls = 1;
	return vec_push(&compiled->breaks, fresh);
}

/* What lay in it was called where its graph broke. */
static int take_inner(struct compiled *compiled, const struct lookup *lookup,
	struct compiled_thread *thread, uint32_t id, uint32_t compilation, uint64_t begin_ns)
{
	int err = 0;
	while (err == 0 && thread->count > 0 &&
		thread->ended[thread->count - 1].begin_ns >= begin_ns) {
		const struct compiled_range inner = thread->ended[--thread->count];
		struct compiled_frame *frame = frame_of(compiled, inner.frame);
		if (frame != NULL)
			frame->around = id + 1;
		err = add_break(compiled, lookup, id, compilation, inner.place);
	}
	return err;
}

/* The oldest gives way: nothing has been around it for long. */
static void keep(struct compiled_thread *thread, uint32_t frame, const struct record *range)
{
	if (thread->count == COMPILED_OPEN)
		memmove(thread->ended, thread->ended + 1, --thread->count * sizeof(*thread->ended));
	thread->ended[thread->count++] = (struct compiled_range){
		.begin_ns = range->begin, .frame = frame, .place = range->place};
}

int compiled_end(struct compiled *compiled, const struct lookup *lookup, uint32_t thread_id,
	const char *name, const struct record *range)
{
	uint32_t id, compilation;
	if (!parse(name, &id, &compilation))
		return 0;
	struct compiled_frame *frame = frame_of(compiled, id);
	if (frame == NULL && compiled->frames.count == COMPILED_FRAMES) {
		compiled->left_out++;
		return 0;
	}
	if (frame == NULL) {
		const struct compiled_frame fresh = {.id = id};
		if (vec_push(&compiled->frames, fresh) < 0)
			return -ENOMEM;
		frame = &compiled->frames.items[compiled->frames.count - 1];
	}
	frame->calls++;
	frame->ns += range->end > range->begin ? range->end - range->begin : 0;
	frame->seen |= bit_of(compilation);
	if (compilation > frame->last)
		frame->last = compilation;
	if (range->place != 0)
		frame->place = range->place;
	struct compiled_thread *thread = thread_of(compiled, thread_id);
	if (thread == NULL)
		return -ENOMEM;
	int err = take_inner(compiled, lookup, thread, id, compilation, range->begin);
	keep(thread, id, range);
	return err;
}

void compiled_release(struct compiled *compiled)
{
	vec_release(&compiled->frames);
	vec_release(&compiled->breaks);
	vec_release(&compiled->threads);
}

unsigned compiled_breaks_of(const struct compiled *compiled, uint32_t frame, uint64_t *ret_pairs)
{
	unsigned count = 0;
	*ret_pairs = 0;
	for (size_t i = 0; i < compiled->breaks.count; i++) {
		const struct compiled_break *one = &compiled->breaks.items[i];
		if (one->frame != frame)
			continue;
		count++;
		*ret_pairs += compiled_count(one->seen);
	}
	return count;
}
