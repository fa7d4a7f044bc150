/* SPDX-License-Identifier: MIT */
#include "preload/sampler/chain.h"

#include <string.h>

#define FRAME_BYTES 128u /* of the part of a frame that is looked at; the most that a layout has */
#define HEAD_PIECES 2u   /* the thread's id, and its frame or what holds that */
#define NEW_LIMIT   16u  /* frames that may have come inside since the first reading */

/* What one call of the kernel brought: the head, then frames of a chain. */
struct reading {
	const char *link; /* what holds the innermost frame; NULL: nothing does */
	const char *head; /* the innermost frame */
	unsigned count;   /* frames that were read */
	struct chain_frame frames[CHAIN_LIMIT];
};

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static const char *pointer_at(const char *bytes)
{
	const char *pointer;
	memcpy(&pointer, bytes, sizeof(pointer));
	return pointer;
}

static unsigned frame_bytes(const struct python_layout *layout)
{
	unsigned size = most(layout->frame_code, layout->frame_previous);
	return most(size, most(layout->frame_at, layout->frame_owner)) + 8;
}

static void take_frame(const struct python_layout *layout, const char *address, const char *bytes,
	struct chain_frame *ret_frame)
{
	*ret_frame = (struct chain_frame){.address = address};
	uintptr_t code = (uintptr_t)pointer_at(bytes + layout->frame_code);
	ret_frame->previous = pointer_at(bytes + layout->frame_previous);
	ret_frame->code = (const char *)(code & ~(uintptr_t)7);
	if (layout->frame_owner == PYTHON_NO_FIELD) {
		uint32_t index;
		memcpy(&index, bytes + layout->frame_at, sizeof(index));
		ret_frame->at = index;
	} else {
		memcpy(&ret_frame->at, bytes + layout->frame_at, sizeof(ret_frame->at));
		memcpy(&ret_frame->owner, bytes + layout->frame_owner, 1);
	}
}

static bool is_address(const char *address)
{
	return address != NULL && ((uintptr_t)address & 7) == 0;
}

static bool read_frame(
	const struct chain_source *source, const char *address, struct chain_frame *ret_frame)
{
	char bytes[FRAME_BYTES];
	const struct peek_piece piece = {address, frame_bytes(source->layout)};
	if (!is_address(address) || source->read(&piece, 1, bytes) != 1)
		return false;
	take_frame(source->layout, address, bytes, ret_frame);
	return true;
}

/*
 * The head and all frames that guess has. False: there is no frame, or the thread state cannot be
 * read or is another's. Frames behind one that cannot be read are left out.
 */
static bool read_known(
	const struct chain_source *source, const struct chain *guess, struct reading *ret_reading)
{
	const struct python_layout *layout = source->layout;
	struct peek_piece pieces[HEAD_PIECES + 1 + CHAIN_LIMIT];
	static char bytes[(HEAD_PIECES + 1) * 8 + CHAIN_LIMIT * FRAME_BYTES];
	unsigned size = frame_bytes(layout), count = 0;
	bool linked = layout->link_frame != PYTHON_NO_LINK;
	bool guessed = linked && guess->link != NULL;
	pieces[count++] = (struct peek_piece){source->thread + layout->thread_id, 8};
	pieces[count++] = (struct peek_piece){source->thread + layout->thread_frame, 8};
	if (guessed)
		pieces[count++] = (struct peek_piece){guess->link + layout->link_frame, 8};
	unsigned head = count;
	for (unsigned i = 0; i < guess->count; i++)
		pieces[count++] = (struct peek_piece){guess->frames[i].address, size};
	unsigned got = source->read(pieces, count, bytes);
	uint64_t mark;
	memcpy(&mark, bytes, sizeof(mark));
	if (got < HEAD_PIECES || mark != source->mark)
		return false;
	ret_reading->link = pointer_at(bytes + 8);
	ret_reading->head = ret_reading->link;
	ret_reading->count = 0;
	for (unsigned i = 0; head + i < got; i++)
		take_frame(layout, guess->frames[i].address, bytes + head * 8 + i * (size_t)size,
			&ret_reading->frames[ret_reading->count++]);
	if (!linked || ret_reading->link == NULL)
		return ret_reading->head != NULL;
	if (guessed && guess->link == ret_reading->link && got >= head) {
		ret_reading->head = pointer_at(bytes + 16);
		return ret_reading->head != NULL;
	}
	const struct peek_piece piece = {ret_reading->link + layout->link_frame, 8};
	return is_address(ret_reading->link) && source->read(&piece, 1, &ret_reading->head) == 1 &&
	       ret_reading->head != NULL;
}

static bool is_equal(const struct chain_frame *a, const struct chain_frame *b)
{
	return a->address == b->address && a->previous == b->previous && a->code == b->code &&
	       a->at == b->at && a->owner == b->owner;
}

/* Index of the frame at an address, from first on; count: there is none. */
static unsigned find(
	const struct chain_frame *frames, unsigned first, unsigned count, const char *address)
{
	while (first < count && frames[first].address != address)
		first++;
	return first;
}

/* Walk from the head outward; known frames are not read again. False: it leads nowhere. */
static bool walk(
	const struct chain_source *source, const struct reading *known, struct chain *ret_chain)
{
	const char *address = known->head, *seen = NULL;
	unsigned next = 0;
	ret_chain->link = known->link;
	ret_chain->count = 0;
	ret_chain->outer = false;
	while (address != NULL && ret_chain->count < CHAIN_LIMIT) {
		struct chain_frame *frame = &ret_chain->frames[ret_chain->count++];
		unsigned at = find(known->frames, next, known->count, address);
		if (at < known->count) {
			*frame = known->frames[at];
			next = at + 1;
		} else if (!read_frame(source, address, frame)) {
			return false;
		}
		address = frame->previous;
		/* A circle comes back to one of the frames 1, 2, 4, 8, ... */
		if (address != NULL && (address == seen || address == frame->address))
			return false;
		if ((ret_chain->count & (ret_chain->count - 1)) == 0)
			seen = frame->address;
	}
	ret_chain->cut = address != NULL;
	return ret_chain->count > 0;
}

/*
 * The index of the innermost frame of chain that the thread is in or below by the second reading;
 * chain->count: of none.
 */
static unsigned meet(
	const struct chain_source *source, const struct chain *chain, const struct reading *again)
{
	const char *address = again->head;
	for (unsigned steps = 0; steps < NEW_LIMIT; steps++) {
		struct chain_frame frame;
		unsigned at = find(chain->frames, 0, chain->count, address);
		if (at < chain->count)
			return at;
		if (!read_frame(source, address, &frame))
			break;
		address = frame.previous;
	}
	return chain->count;
}

/* Keep the frames that the second reading bears out. False: none. */
static bool settle(
	const struct chain_source *source, const struct reading *again, struct chain *chain)
{
	unsigned first = meet(source, chain, again);
	unsigned keep = again->count < chain->count ? 0 : chain->count;
	if (keep == 0 || first == chain->count)
		return false;
	while (keep > first && is_equal(&chain->frames[keep - 1], &again->frames[keep - 1]))
		keep--;
	if (keep == first + 1) {
		/* The thread was in this frame both times, and has only gone on in it. */
		struct chain_frame frame = again->frames[first];
		frame.at = chain->frames[first].at;
		if (is_equal(&chain->frames[first], &frame)) {
			chain->frames[first].at = again->frames[first].at;
			keep = first;
		}
	}
	if (keep == chain->count)
		return false;
	chain->count -= keep;
	chain->outer = keep > 0;
	memmove(chain->frames, &chain->frames[keep], chain->count * sizeof(chain->frames[0]));
	return true;
}

/* All frames are those of the time before; the innermost one may have gone on. */
static bool is_same(const struct chain *before, const struct chain *now)
{
	if (before->count != now->count || before->cut != now->cut || before->outer)
		return false;
	for (unsigned i = 1; i < now->count; i++)
		if (!is_equal(&before->frames[i], &now->frames[i]))
			return false;
	struct chain_frame first = now->frames[0];
	first.at = before->frames[0].at;
	return is_equal(&before->frames[0], &first);
}

enum chain_result chain_read(const struct chain_source *source, struct chain *chain)
{
	static struct reading first, again;
	static struct chain fresh;
	if (!read_known(source, chain, &first)) {
		chain->count = 0;
		return CHAIN_NONE;
	}
	bool whole = walk(source, &first, &fresh);
	if (whole && is_same(chain, &fresh)) {
		bool moved = fresh.frames[0].at != chain->frames[0].at;
		*chain = fresh;
		return moved ? CHAIN_READ : CHAIN_SAME;
	}
	if (whole && read_known(source, &fresh, &again) && settle(source, &again, &fresh)) {
		*chain = fresh;
		return CHAIN_READ;
	}
	chain->count = 0;
	return CHAIN_TORN;
}

bool chain_has(const struct chain_source *source, const struct chain_frame *frame)
{
	struct chain_frame now;
	return read_frame(source, frame->address, &now) && now.code == frame->code &&
	       now.previous == frame->previous && now.owner == frame->owner;
}
