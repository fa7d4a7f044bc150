/* SPDX-License-Identifier: MIT */
#include "analyzer/links/links.h"

#include <stdlib.h>

#include "collector/format/fields.h"

void links_release(struct links *links)
{
	VEC_FOREACH (thread, &links->threads)
		free(thread->kept);
	vec_release(&links->threads);
	links->last = 0;
}

/* NULL: it was not met. */
static struct links_thread *find(struct links *links, uint32_t id)
{
	struct links_thread *items = links->threads.items;
	if (links->last < links->threads.count && items[links->last].id == id)
		return &items[links->last];
	for (size_t i = 0; i < links->threads.count; i++)
		if (items[i].id == id)
			return &items[links->last = i];
	return NULL;
}

/* NULL: no memory. */
static struct links_thread *add(struct links *links, uint32_t id)
{
	struct links_thread fresh = {.id = id, .kept = calloc(LINKS_KEPT, sizeof(struct link))};
	if (fresh.kept == NULL || vec_push(&links->threads, fresh) < 0) {
		free(fresh.kept);
		return NULL;
	}
	links->last = links->threads.count - 1;
	return &links->threads.items[links->last];
}

int links_add(struct links *links, const struct record *op)
{
	uint32_t id = record_OP_forward(op), sequence = record_OP_sequence(op);
	if (id == 0 || record_OP_scope(op) != OP_FUNCTION)
		return 0;
	struct links_thread *thread = find(links, id);
	if (thread == NULL && links->threads.count >= LINKS_THREADS)
		return 0;
	if (thread == NULL && (thread = add(links, id)) == NULL)
		return -ENOMEM;
	struct link *link = &thread->kept[sequence % LINKS_KEPT];
	bool around = link->known && link->sequence == sequence && link->begin_ns > op->begin;
	if (!around)
		*link = (struct link){.begin_ns = op->begin,
			.name = op->name,
			.line = record_OP_line(op),
			.sequence = sequence,
			.known = true};
	return 0;
}

const struct link *links_find(struct links *links, const struct record *function)
{
	uint32_t id = record_OP_forward(function), sequence = record_OP_sequence(function);
	if (id == 0 || record_OP_scope(function) != OP_BACKWARD_FUNCTION)
		return NULL;
	struct links_thread *thread = find(links, id);
	struct link *link = thread == NULL ? NULL : &thread->kept[sequence % LINKS_KEPT];
	if (link == NULL || !link->known || link->sequence != sequence ||
		function->begin <= link->function_ns)
		return NULL;
	link->function_ns = function->begin;
	return link;
}
