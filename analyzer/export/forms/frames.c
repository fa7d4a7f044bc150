/* SPDX-License-Identifier: MIT */
#include "analyzer/export/forms/frames.h"

static struct frame *at(const struct frames *frames, uint32_t index)
{
	return &frames->items.items[index];
}

int frames_init(struct frames *frames)
{
	*frames = (struct frames){0};
	return vec_push(&frames->items, ((struct frame){0}));
}

void frames_release(struct frames *frames)
{
	vec_release(&frames->items);
}

uint32_t frames_new(struct frames *frames, uint32_t name, uint64_t self_ns)
{
	const struct frame frame = {.name = name, .self_ns = self_ns};
	uint32_t index = frames->unused;
	if (index != FRAMES_NONE) {
		frames->unused = at(frames, index)->next;
		*at(frames, index) = frame;
		return index;
	}
	if (frames->items.count >= FRAMES_LIMIT || vec_push(&frames->items, frame) < 0)
		return FRAMES_NONE;
	return (uint32_t)frames->items.count - 1;
}

static void give_back(struct frames *frames, uint32_t index)
{
	at(frames, index)->next = frames->unused;
	frames->unused = index;
}

/* All that is below becomes the frame's own. */
static void flatten(struct frames *frames, uint32_t index)
{
	uint32_t child = at(frames, index)->child;
	while (child != FRAMES_NONE) {
		uint32_t next = at(frames, child)->next;
		flatten(frames, child);
		at(frames, index)->self_ns += at(frames, child)->self_ns;
		give_back(frames, child);
		child = next;
	}
	at(frames, index)->child = FRAMES_NONE;
	at(frames, index)->depth = 0;
}

void frames_put(struct frames *frames, uint32_t parent, uint32_t index)
{
	if (at(frames, index)->depth >= FRAMES_DEPTH)
		flatten(frames, index);
	if (at(frames, parent)->depth <= at(frames, index)->depth)
		at(frames, parent)->depth = at(frames, index)->depth + 1;
	uint32_t same = at(frames, parent)->child;
	while (same != FRAMES_NONE && at(frames, same)->name != at(frames, index)->name)
		same = at(frames, same)->next;
	if (same == FRAMES_NONE) {
		at(frames, index)->next = at(frames, parent)->child;
		at(frames, parent)->child = index;
		return;
	}
	at(frames, same)->self_ns += at(frames, index)->self_ns;
	uint32_t child = at(frames, index)->child;
	while (child != FRAMES_NONE) {
		uint32_t next = at(frames, child)->next;
		frames_put(frames, same, child);
		child = next;
	}
	give_back(frames, index);
}
