/* SPDX-License-Identifier: MIT */
#include "analyzer/history/history.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TICK_NS 1024u

_Static_assert(CAUSE_COUNT < HISTORY_NOTHING, "a cause fits");

struct history *history_new(bool pieces)
{
	struct history *history = calloc(1, sizeof(*history));
	if (history != NULL)
		history->without_pieces = !pieces;
	return history;
}

void history_free(struct history *history)
{
	if (history == NULL)
		return;
	vec_release(&history->pieces);
	vec_release(&history->steps);
	free(history);
}

/* The cause that has most of the pieces first .. until - 1. */
static unsigned most(const struct history *history, size_t first, size_t until)
{
	uint64_t sums[HISTORY_NOTHING + 1] = {0};
	unsigned best = HISTORY_NOTHING;
	for (size_t i = first; i < until; i++) {
		const struct history_piece *piece = &history->pieces.items[i];
		sums[piece->cause] += piece[1].begin_ns - piece->begin_ns;
		if (sums[piece->cause] > sums[best] || best == HISTORY_NOTHING)
			best = piece->cause;
	}
	return best;
}

/* Pieces that begin and end in the same tick become one. */
static void join_ticks(struct history *history)
{
	struct history_piece *pieces = history->pieces.items;
	size_t kept = 0, count = history->pieces.count;
	for (size_t i = 0, next; i + 1 < count; i = next) {
		uint64_t tick = pieces[i].begin_ns / history->tick_ns;
		next = i + 1;
		while (next + 1 < count && pieces[next + 1].begin_ns / history->tick_ns == tick)
			next++;
		unsigned cause = most(history, i, next);
		if (kept > 0 && pieces[kept - 1].cause == cause)
			continue;
		pieces[kept].begin_ns = pieces[i].begin_ns;
		pieces[kept++].cause = cause;
	}
	pieces[kept++] = pieces[count - 1];
	history->pieces.count = kept;
}

/* Until half are gone: the latest pieces by ticks as they are, then all by longer ones. */
static void join_short(struct history *history)
{
	if (history->tick_ns == 0)
		history->tick_ns = FIRST_TICK_NS;
	join_ticks(history);
	while (history->pieces.count > HISTORY_PIECES / 2) {
		history->tick_ns *= 2;
		join_ticks(history);
	}
}

/* From begin on it is this cause; the last entry always says where the one before ends. */
static void append(struct history *history, unsigned cause, uint64_t begin, uint64_t end)
{
	size_t count = history->pieces.count;
	struct history_piece *pieces = history->pieces.items;
	bool touches = count > 0 && pieces[count - 1].begin_ns == begin;
	if (touches && count > 1 && pieces[count - 2].cause == cause) {
		pieces[count - 1].begin_ns = end;
		return;
	}
	if (touches)
		pieces[count - 1].cause = cause;
	else if (vec_push(&history->pieces, (struct history_piece){begin, cause}) < 0)
		history->cut_short = true;
	if (vec_push(&history->pieces, (struct history_piece){end, HISTORY_NOTHING}) < 0)
		history->cut_short = true;
	if (history->pieces.count > HISTORY_PIECES)
		join_short(history);
}

static void take_piece(void *context, enum cause cause, uint64_t begin, uint64_t end)
{
	struct history *history = context;
	if (history->cut_short || end <= begin)
		return;
	if (history->running.end_ns == 0)
		history->running.begin_ns = begin;
	history->running.end_ns = end;
	history->running.cause_ns[cause] += end - begin;
	if (!history->without_pieces)
		append(history, cause, begin, end);
	history->end_ns = end;
}

static void add(uint64_t *sums, uint64_t *parts)
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		sums[i] += parts[i];
		parts[i] = 0;
	}
}

/* What ran since the last cut is a step, or something between two. */
static void end_step(struct history *history, bool aside, uint64_t step, uint64_t ns)
{
	struct history_step *running = &history->running;
	running->end_ns = ns;
	running->number = step;
	running->aside = aside;
	if (running->begin_ns == 0 || running->begin_ns > ns)
		running->begin_ns = ns;
	if (history->steps.count >= HISTORY_STEPS)
		history->left_out += !aside;
	else if (vec_push(&history->steps, *running) < 0)
		history->cut_short = true;
	*running = (struct history_step){.begin_ns = ns, .end_ns = ns};
}

static void take_cut(void *context, enum step_cut cut, uint64_t step, uint64_t ns)
{
	struct history *history = context;
	if (cut == CUT_PART || cut == CUT_TAIL) {
		add(history->parts_ns, history->running.cause_ns);
		if (cut == CUT_TAIL)
			add(history->tail_ns, history->parts_ns);
		return;
	}
	if (cut == CUT_ASIDE_REST)
		add(history->running.cause_ns, history->parts_ns);
	if (cut == CUT_STEP || cut == CUT_ASIDE_ALL || cut == CUT_BROKEN)
		add(history->parts_ns, history->tail_ns);
	if (cut == CUT_STEP || cut == CUT_ASIDE_ALL || cut == CUT_BROKEN)
		add(history->running.cause_ns, history->parts_ns);
	end_step(history, cut != CUT_STEP, step, ns);
}

/* All time so far is what came before the first step. */
static void take_restart(void *context)
{
	struct history *history = context;
	struct history_step all = {0};
	add(history->running.cause_ns, history->tail_ns);
	add(history->running.cause_ns, history->parts_ns);
	VEC_FOREACH (step, &history->steps)
		add(all.cause_ns, step->cause_ns);
	add(all.cause_ns, history->running.cause_ns);
	all.begin_ns = history->steps.count > 0 ? history->steps.items[0].begin_ns
						: history->running.begin_ns;
	all.end_ns = history->end_ns;
	history->running = all;
	history->steps.count = 0;
	history->left_out = 0;
}

struct watch history_watch(struct history *history)
{
	return (struct watch){
		.context = history, .piece = take_piece, .cut = take_cut, .restart = take_restart};
}
