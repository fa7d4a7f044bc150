/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/sums/nesting.h"

void nesting_release(struct tables_nesting *nesting)
{
	VEC_FOREACH (thread, &nesting->threads)
		vec_release(&thread->ended);
	vec_release(&nesting->threads);
	nesting->last = 0;
}

/* NULL: no memory. */
static struct nesting_thread *find(struct tables_nesting *nesting, uint32_t id)
{
	if (nesting->last < nesting->threads.count &&
		nesting->threads.items[nesting->last].id == id)
		return &nesting->threads.items[nesting->last];
	for (nesting->last = 0; nesting->last < nesting->threads.count; nesting->last++)
		if (nesting->threads.items[nesting->last].id == id)
			return &nesting->threads.items[nesting->last];
	struct nesting_thread fresh = {.id = id};
	return vec_push(&nesting->threads, fresh) < 0 ? NULL
						      : &nesting->threads.items[nesting->last];
}

/* Each two neighbours of the older half become one. */
static void join_neighbours(struct nesting_thread *thread)
{
	struct nesting_ended *items = thread->ended.items;
	size_t half = thread->ended.count / 4 * 2, kept = 0;
	for (size_t i = 0; i < half; i += 2, kept++)
		items[kept] =
			(struct nesting_ended){items[i].begin_ns, items[i].ns + items[i + 1].ns};
	for (size_t i = half; i < thread->ended.count; i++)
		items[kept++] = items[i];
	thread->ended.count = kept;
}

int nesting_end(struct tables_nesting *nesting, uint32_t thread_id, const struct record *op,
	uint64_t *ret_self_ns)
{
	struct nesting_thread *thread = find(nesting, thread_id);
	uint64_t ns = op->end > op->begin ? op->end - op->begin : 0, inside_ns = 0;
	if (thread == NULL)
		return -ENOMEM;
	while (thread->ended.count > 0 &&
		thread->ended.items[thread->ended.count - 1].begin_ns >= op->begin)
		inside_ns += thread->ended.items[--thread->ended.count].ns;
	if (thread->ended.count >= NESTING_KEPT)
		join_neighbours(thread);
	struct nesting_ended ended = {op->begin, ns};
	if (vec_push(&thread->ended, ended) < 0)
		return -ENOMEM;
	*ret_self_ns = ns > inside_ns ? ns - inside_ns : 0;
	return 0;
}
