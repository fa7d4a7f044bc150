/* SPDX-License-Identifier: MIT */
#include "preload/sampler/sampler.h"

#include <string.h>

#include "collector/base/hash.h"
#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/python/python.h"
#include "preload/sampler/chain.h"
#include "preload/sampler/code.h"

#define SLOT_BITS   6   /* threads that are remembered; others are read anew each time */
#define STACK_LIMIT 64u /* frames of Python functions in a stack, the innermost ones */

/* The last reading of a thread. */
struct slot {
	const void *thread;
	struct chain chain;
	struct site_ids ids[CHAIN_LIMIT];
	struct collector_stack result;
	uint32_t generation;
};

static struct slot slots[1u << SLOT_BITS];
static uint32_t generation = 1; /* another one in a forked child */

static struct slot *slot_of(const void *thread)
{
	struct slot *slot = &slots[hash_pointer_bits(thread, SLOT_BITS)];
	if (slot->thread != thread || slot->generation != generation) {
		slot->chain.count = 0;
		slot->chain.link = NULL;
		slot->thread = thread;
		slot->generation = generation;
	}
	return slot;
}

/* How many of the outermost frames are those of the reading before. */
static unsigned count_common(const struct chain *before, const struct chain *now)
{
	unsigned common = 0;
	while (common < before->count && common < now->count) {
		const struct chain_frame *a = &before->frames[before->count - 1 - common];
		const struct chain_frame *b = &now->frames[now->count - 1 - common];
		if (a->address != b->address || a->code != b->code || a->at != b->at ||
			a->previous != b->previous || a->owner != b->owner)
			break;
		common++;
	}
	return common;
}

/*
 * The ids of all frames, from the outermost inward. What lies inside of a frame that makes no sense
 * is dropped with it. False: nothing is left.
 */
static bool resolve(const struct chain_source *source, struct slot *slot, struct chain *chain,
	struct site_ids *ret_ids)
{
	unsigned common = count_common(&slot->chain, chain);
	unsigned keep = chain->count;
	for (; keep > 0; keep--) {
		unsigned i = keep - 1, from_outside = chain->count - keep;
		ret_ids[i] = (struct site_ids){0};
		if (from_outside < common && i > 0)
			ret_ids[i] = slot->ids[slot->chain.count - 1 - from_outside];
		else if (chain->frames[i].owner < PYTHON_OWNED_BY_C &&
			 !code_ids(source, &chain->frames[i], &ret_ids[i]))
			break;
	}
	if (keep == chain->count)
		return false;
	chain->count -= keep;
	chain->outer |= keep > 0;
	memmove(chain->frames, &chain->frames[keep], chain->count * sizeof(chain->frames[0]));
	memmove(ret_ids, &ret_ids[keep], chain->count * sizeof(ret_ids[0]));
	return true;
}

static uint32_t place_of(const struct site_ids *own, const struct site_ids *user)
{
	if (own->place != 0)
		return own->place;
	struct live_place place = {.file = own->file, .function = own->name, .line = own->line};
	if (user != NULL) {
		place.user_file = user->file;
		place.user_function = user->name;
		place.user_line = user->line;
	}
	return collector_place(&place);
}

/* False: no frame counts. */
static bool make_stack(
	const struct chain *chain, const struct site_ids *ids, struct collector_stack *ret_stack)
{
	const struct site_ids *counted[CHAIN_LIMIT];
	const struct site_ids *user = NULL;
	unsigned count = 0;
	for (unsigned i = 0; i < chain->count; i++) {
		if (ids[i].line == 0)
			continue;
		if (user == NULL && ids[i].place != 0)
			user = &ids[i];
		counted[count++] = &ids[i];
	}
	if (count == 0)
		return false;
	bool cut = chain->cut || count > STACK_LIMIT;
	*ret_stack = (struct collector_stack){.place = place_of(counted[0], user),
		.flags = (cut ? STACK_CUT : 0u) | (chain->outer ? STACK_OUTER : 0u)};
	if (count > STACK_LIMIT)
		count = STACK_LIMIT;
	for (unsigned i = count; i > 0; i--) {
		ret_stack->stack =
			collector_stack(place_of(counted[i - 1], NULL), ret_stack->stack);
		if (ret_stack->stack == 0)
			break;
	}
	return true;
}

/* The innermost code object is the one that it was, not another one in its place. */
static bool is_still(const struct chain_source *source, const struct slot *slot)
{
	struct site_ids ids;
	return slot->chain.frames[0].owner >= PYTHON_OWNED_BY_C ||
	       (code_ids(source, &slot->chain.frames[0], &ids) &&
		       site_is_same(&ids, &slot->ids[0]));
}

void sampler_describe(const char *off)
{
	const char *reason = off;
	if (off != NULL)
		collector_source("samples", "off", off);
	else if (python_known_layout(&reason) == NULL)
		collector_source("samples", "absent", reason);
	else
		collector_source("samples", "active", NULL);
}

/* An interpreter may come, or turn out to be another than was thought, after the beginning. */
static void tell_change(const struct python_layout *layout)
{
	static const struct python_layout *known;
	static bool told;
	if (!told || known != layout)
		sampler_describe(NULL);
	told = true;
	known = layout;
}

enum collector_stack_result sampler_read(
	const void *thread, uint64_t mark, struct collector_stack *ret_stack)
{
	static struct chain chain;
	static struct site_ids ids[CHAIN_LIMIT];
	const char *reason;
	struct chain_source source = {python_known_layout(&reason), thread, mark, peek_pieces};
	tell_change(source.layout);
	if (source.layout == NULL)
		return COLLECTOR_STACK_NONE;
	struct slot *slot = slot_of(thread);
	chain = slot->chain;
	enum chain_result result = chain_read(&source, &chain);
	if (result == CHAIN_NONE)
		return COLLECTOR_STACK_NONE;
	if (result == CHAIN_SAME && is_still(&source, slot)) {
		*ret_stack = slot->result;
		return COLLECTOR_STACK_READ;
	}
	if (result == CHAIN_SAME)
		slot->chain.count = 0;
	if (result == CHAIN_TORN || !resolve(&source, slot, &chain, ids))
		return COLLECTOR_STACK_TORN;
	if (!make_stack(&chain, ids, ret_stack))
		return COLLECTOR_STACK_NONE;
	slot->chain = chain;
	memcpy(slot->ids, ids, chain.count * sizeof(ids[0]));
	slot->result = *ret_stack;
	return COLLECTOR_STACK_READ;
}

void sampler_after_fork(void)
{
	generation++;
	code_after_fork();
}
