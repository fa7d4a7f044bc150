/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/feed.h"

#include <string.h>

#include "analyzer/tables/store.h"

void modules_release(struct tables_modules *modules)
{
	VEC_FOREACH (thread, &modules->threads)
		vec_release(&thread->ended);
	vec_release(&modules->threads);
}

/* NULL: no memory. */
static struct modules_thread *find(struct tables_modules *modules, uint32_t id)
{
	VEC_FOREACH (thread, &modules->threads)
		if (thread->id == id)
			return thread;
	struct modules_thread fresh = {.id = id};
	return vec_push(&modules->threads, fresh) < 0
		       ? NULL
		       : &modules->threads.items[modules->threads.count - 1];
}

/* Those of the older half lie in nothing that is still open, as far as can be known. */
static void let_go(struct modules_thread *thread)
{
	size_t half = thread->ended.count / 2;
	memmove(thread->ended.items, &thread->ended.items[half],
		(thread->ended.count - half) * sizeof(*thread->ended.items));
	thread->ended.count -= half;
}

int modules_end(struct tables *tables, uint32_t id, const struct record *call)
{
	uint64_t key[TABLES_KEY], inside_ns = 0;
	key_of_range(call, key);
	struct modules_thread *thread = find(&tables->modules, id);
	struct tables_row *row =
		tables_set_find(&tables->sets[TABLES_MODULES], TABLES_MODULES, key);
	if (thread == NULL || row == NULL ||
		projection_weigh(&tables->projection, id, PROJECTION_MARKS) < 0)
		return -ENOMEM;
	const struct stage_span span = {.thread = id, .begin_ns = call->begin, .end_ns = call->end};
	int err = ranges_count(tables, row, &span);
	while (err == 0 && thread->ended.count > 0 &&
		thread->ended.items[thread->ended.count - 1].begin_ns >= call->begin) {
		const struct stage_span part = thread->ended.items[--thread->ended.count];
		inside_ns += part.end_ns - part.begin_ns;
		err = ranges_wait(tables,
			&(struct tables_pending){.row = row, .span = part, .hist = MODULES_INSIDE});
	}
	uint64_t ns = call->end > call->begin ? call->end - call->begin : 0;
	if (err == 0)
		err = tables_hist_add(
			&row->hists[MODULES_SELF], ns > inside_ns ? ns - inside_ns : 0);
	if (thread->ended.count >= MODULES_KEPT)
		let_go(thread);
	return err < 0 ? err : vec_push(&thread->ended, span);
}
