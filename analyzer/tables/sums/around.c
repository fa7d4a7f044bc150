/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/sums/around.h"

#include <errno.h>
#include <string.h>

void around_release(struct around *around)
{
	VEC_FOREACH (thread, &around->threads) {
		vec_release(&thread->ops);
		vec_release(&thread->left);
	}
	vec_release(&around->threads);
	around->last = 0;
}

/* NULL: none, or when it is to be made no memory. */
static struct around_thread *find(struct around *around, uint32_t id, bool make)
{
	if (around->last < around->threads.count && around->threads.items[around->last].id == id)
		return &around->threads.items[around->last];
	for (around->last = 0; around->last < around->threads.count; around->last++)
		if (around->threads.items[around->last].id == id)
			return &around->threads.items[around->last];
	struct around_thread fresh = {.id = id};
	return !make || vec_push(&around->threads, fresh) < 0
		       ? NULL
		       : &around->threads.items[around->last];
}

/* Each two neighbours of the older half become one. */
static void join_left(struct around_thread *thread)
{
	struct around_left *items = thread->left.items;
	size_t half = thread->left.count / 4 * 2, kept = 0;
	for (size_t i = 0; i < half; i += 2)
		items[kept++] = (struct around_left){
			items[i].begin_ns, items[i].given_ns + items[i + 1].given_ns};
	for (size_t i = half; i < thread->left.count; i++)
		items[kept++] = items[i];
	thread->left.count = kept;
}

/* Those of the first ones. 0 or -ENOMEM. */
static int forget(struct around *around, struct around_thread *thread, size_t count)
{
	struct around_op *ops = thread->ops.items;
	for (size_t i = 0; i < count; i++) {
		int err = around->settle(ops[i].owner, ops[i].given_ns);
		if (err < 0)
			return err;
		if (ops[i].parent != 0)
			continue;
		if (thread->left.count >= AROUND_LEFT)
			join_left(thread);
		const struct around_left left = {ops[i].begin_ns, ops[i].given_ns};
		if (vec_push(&thread->left, left) < 0)
			return -ENOMEM;
	}
	if (count > 0)
		thread->gone_ns = ops[count - 1].end_ns;
	thread->ops.count -= count;
	if (thread->ops.count > 0)
		memmove(ops, ops + count, thread->ops.count * sizeof(*ops));
	return 0;
}

int around_end(struct around *around, uint32_t id, uint64_t begin_ns, uint64_t end_ns, void *owner)
{
	struct around_thread *thread = find(around, id, true);
	int err = thread == NULL ? -ENOMEM : 0;
	if (err == 0 && thread->ops.count >= AROUND_KEPT)
		err = forget(around, thread, AROUND_KEPT / 2);
	if (err < 0)
		return err;
	struct around_op op = {begin_ns, end_ns, .owner = owner, .size = 1};
	while (op.size <= thread->ops.count) {
		struct around_op *inside = &thread->ops.items[thread->ops.count - op.size];
		if (inside->begin_ns < begin_ns)
			break;
		inside->parent = op.size;
		op.given_ns += inside->given_ns;
		op.size += inside->size;
	}
	while (op.size > thread->ops.count && thread->left.count > 0 &&
		thread->left.items[thread->left.count - 1].begin_ns >= begin_ns)
		op.given_ns += thread->left.items[--thread->left.count].given_ns;
	return vec_push(&thread->ops, op);
}

struct around_found around_give(
	struct around *around, uint32_t id, uint64_t at_ns, uint64_t given_ns)
{
	struct around_thread *thread = find(around, id, false);
	size_t low = 0, high = thread != NULL ? thread->ops.count : 0;
	if (thread != NULL && at_ns < thread->gone_ns)
		return (struct around_found){.gone = true};
	while (low < high) { /* the first that has ended later */
		size_t middle = low + (high - low) / 2;
		if (thread->ops.items[middle].end_ns > at_ns)
			high = middle;
		else
			low = middle + 1;
	}
	if (thread == NULL || low == thread->ops.count)
		return (struct around_found){0};
	struct around_op *op = &thread->ops.items[low];
	while (op->begin_ns > at_ns && op->parent != 0)
		op += op->parent;
	if (op->begin_ns > at_ns)
		return (struct around_found){0};
	const struct around_found found = {.owner = op->owner};
	for (op->given_ns += given_ns; op->parent != 0; op->given_ns += given_ns)
		op += op->parent;
	return found;
}

int around_finish(struct around *around)
{
	int err = 0;
	VEC_FOREACH (thread, &around->threads)
		if (err == 0)
			err = forget(around, thread, thread->ops.count);
	return err;
}
