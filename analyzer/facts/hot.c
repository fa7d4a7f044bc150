/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/hot.h"

#include <string.h>

#include "collector/format/fields.h"

#define FRAMES_LIMIT 64u

static bool is_in(const struct lookup *lookup, const struct meta_PLACE *place, const char *path)
{
	return place != NULL && strstr(lookup_text(lookup, (uint32_t)place->file), path) != NULL;
}

/*
 * The line of the program that was found for a sample is one of this process. A forked process has
 * the frames in which its parent started it outside of those in which its own work begins.
 */
static bool is_own(
	const struct lookup *lookup, const struct meta_PLACE *sampled, const struct record *sample)
{
	const struct meta_STACK *stack = lookup_stack(lookup, record_STACK_stack(sample));
	for (unsigned i = 0; stack != NULL && i < FRAMES_LIMIT; i++) {
		const struct meta_PLACE *place = lookup_place(lookup, (uint32_t)stack->place);
		if (place != NULL && place->file == sampled->user_file &&
			place->line == sampled->user_line)
			return true;
		if (is_in(lookup, place, "/multiprocessing/process.py") ||
			is_in(lookup, place, "/multiprocess/process.py"))
			return false;
		stack = lookup_stack(lookup, (uint32_t)stack->caller);
	}
	return true;
}

void hot_add(struct hot *hot, const struct lookup *lookup, const struct record *sample)
{
	const struct meta_PLACE *place = lookup_place(lookup, sample->place);
	if (place == NULL || work_is_queue(lookup, place))
		return;
	bool user = place->user_file != 0 && is_own(lookup, place, sample);
	struct hot_line line = {.file = user ? place->user_file : place->file,
		.line = user ? place->user_line : place->line,
		.function = user ? place->user_function : place->function};
	uint32_t i = 0;
	hot->samples++;
	while (i < hot->count &&
		(hot->lines[i].file != line.file || hot->lines[i].line != line.line))
		i++;
	if (i == HOT_LINES)
		return;
	if (i == hot->count)
		hot->lines[hot->count++] = line;
	hot->lines[i].samples++;
}

const struct hot_line *hot_most(const struct hot *hot)
{
	const struct hot_line *most = NULL;
	for (uint32_t i = 0; i < hot->count; i++)
		if (most == NULL || hot->lines[i].samples > most->samples)
			most = &hot->lines[i];
	return most;
}

/* The loop of the thread is among the callers. */
static bool pins(const struct lookup *lookup, uint32_t id)
{
	const struct meta_STACK *stack = lookup_stack(lookup, id);
	for (unsigned i = 0; stack != NULL && i < FRAMES_LIMIT; i++) {
		if (is_in(lookup, lookup_place(lookup, (uint32_t)stack->place),
			    "/data/_utils/pin_memory.py"))
			return true;
		stack = lookup_stack(lookup, (uint32_t)stack->caller);
	}
	return false;
}

void pin_add(struct pin *pin, const struct lookup *lookup, const struct record *sample)
{
	const struct meta_PLACE *place = lookup_place(lookup, sample->place);
	if (place == NULL || !pins(lookup, record_STACK_stack(sample)))
		return;
	if (pin->samples++ == 0)
		pin->begin_ns = sample->begin;
	pin->end_ns = sample->begin;
	if (!work_is_queue(lookup, place))
		return;
	/* what comes from the workers comes from other processes */
	bool comes =
		is_in(lookup, place, "/multiprocessing/") || is_in(lookup, place, "/selectors.py");
	*(comes ? &pin->starved : &pin->full) += 1;
}
