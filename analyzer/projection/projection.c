/* SPDX-License-Identifier: MIT */
#include "analyzer/projection/projection.h"

#include <stdbool.h>
#include <string.h>

void projection_release(struct projection *projection)
{
	VEC_FOREACH (thread, &projection->threads)
		vec_release(&thread->calls);
	vec_release(&projection->threads);
	projection->last = 0;
}

/* NULL: no memory. */
static struct projection_thread *find(struct projection *projection, uint32_t id)
{
	struct projection_thread *items = projection->threads.items;
	if (projection->last < projection->threads.count && items[projection->last].id == id)
		return &items[projection->last];
	for (size_t i = 0; i < projection->threads.count; i++)
		if (items[i].id == id)
			return &items[projection->last = i];
	if (vec_push(&projection->threads, ((struct projection_thread){.id = id})) < 0)
		return NULL;
	projection->last = projection->threads.count - 1;
	return &projection->threads.items[projection->last];
}

int projection_weigh(struct projection *projection, uint32_t id, enum projection_role role)
{
	struct projection_thread *thread = find(projection, id);
	if (thread == NULL)
		return -ENOMEM;
	thread->weight++;
	thread->roles |= role;
	return 0;
}

static void sum_up(struct projection_sum *sum, const struct projection_sum *more)
{
	if (more->operations == 0)
		return;
	if (sum->operations == 0 || more->first_ns < sum->first_ns)
		sum->first_ns = more->first_ns;
	if (more->last_ns > sum->last_ns)
		sum->last_ns = more->last_ns;
	sum->operations += more->operations;
	sum->device_ns += more->device_ns;
}

/* Each two neighbours of the older half become one. */
static void join_neighbours(struct projection_thread *thread)
{
	struct projection_call *items = thread->calls.items;
	size_t half = thread->calls.count / 4 * 2, kept = 0;
	for (size_t i = 0; i < half; i += 2) {
		items[kept] = items[i];
		sum_up(&items[kept++].sum, &items[i + 1].sum);
	}
	memmove(&items[kept], &items[half], (thread->calls.count - half) * sizeof(*items));
	thread->calls.count -= half - kept;
}

/* Index of the first call that began at ns or later. */
static size_t first_from(const struct projection_thread *thread, uint64_t ns)
{
	size_t low = 0, high = thread->calls.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (thread->calls.items[middle].begin_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int projection_add(struct projection *projection, uint32_t id, uint64_t call_ns, uint64_t begin_ns,
	uint64_t end_ns)
{
	struct projection_thread *thread = find(projection, id);
	const struct projection_sum more = {.operations = 1,
		.device_ns = end_ns > begin_ns ? end_ns - begin_ns : 0,
		.first_ns = begin_ns,
		.last_ns = end_ns};
	if (thread == NULL)
		return -ENOMEM;
	if (thread->calls.count >= PROJECTION_KEPT)
		join_neighbours(thread);
	size_t at = first_from(thread, call_ns);
	if (at == thread->calls.count || thread->calls.items[at].begin_ns != call_ns) {
		if (vec_reserve(&thread->calls, thread->calls.count + 1) < 0)
			return -ENOMEM;
		struct projection_call *place = &thread->calls.items[at];
		memmove(place + 1, place, (thread->calls.count - at) * sizeof(*place));
		*place = (struct projection_call){.begin_ns = call_ns};
		thread->calls.count++;
	}
	sum_up(&thread->calls.items[at].sum, &more);
	return 0;
}

static bool helps(const struct projection_thread *thread)
{
	return (thread->roles & (PROJECTION_RUNS_PARTS | PROJECTION_MARKS)) ==
	       PROJECTION_RUNS_PARTS;
}

/* Whom the helping threads help; 0 threads: nobody. */
static const struct projection_thread *owner_of(const struct projection *projection)
{
	const struct projection_thread *owner = NULL, *thread = projection->threads.items;
	for (size_t i = 0; i < projection->threads.count; i++, thread++)
		if (!helps(thread) && (owner == NULL || thread->weight > owner->weight))
			owner = thread;
	return owner;
}

static void add_stretch(const struct projection_thread *thread, uint64_t begin_ns, uint64_t end_ns,
	struct projection_sum *sum)
{
	for (size_t i = first_from(thread, begin_ns);
		i < thread->calls.count && thread->calls.items[i].begin_ns <= end_ns; i++)
		sum_up(sum, &thread->calls.items[i].sum);
}

struct projection_sum projection_of_thread(
	const struct projection *projection, uint32_t id, uint64_t begin_ns, uint64_t end_ns)
{
	struct projection_sum sum = {0};
	const struct projection_thread *thread = projection->threads.items;
	for (size_t at = 0; at < projection->threads.count; at++, thread++)
		if (thread->id == id)
			add_stretch(thread, begin_ns, end_ns, &sum);
	return sum;
}

struct projection_sum projection_of(
	const struct projection *projection, uint32_t id, uint64_t begin_ns, uint64_t end_ns)
{
	const struct projection_thread *owner = owner_of(projection);
	const struct projection_thread *thread = projection->threads.items;
	struct projection_sum sum = {0};
	for (size_t at = 0; at < projection->threads.count; at++, thread++) {
		bool counts =
			thread->id == id || (helps(thread) && owner != NULL && owner->id == id);
		if (counts)
			add_stretch(thread, begin_ns, end_ns, &sum);
	}
	return sum;
}
