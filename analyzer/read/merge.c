/* SPDX-License-Identifier: MIT */
#include "analyzer/read/merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "collector/base/circle.h"
#include "collector/base/idmap.h"
#include "collector/base/vec.h"

/* So many threads keep memory for their next records; beyond that it goes to others. */
#define MERGE_THREADS_KEPT 1024u

/* Memory of a queue that has no records, in it. */
struct spare {
	struct spare *next;
	size_t capacity;
};

/* A thread's records that were not delivered yet. */
struct queue {
	struct queue *next; /* all queues, to free them */
	CIRCLE(struct record) records;
	uint32_t thread;
	bool waiting; /* in the heap, or the current one */
};

struct merge {
	struct idmap threads; /* id -> struct queue */
	struct queue *list;
	VEC(struct queue *) heap; /* waiting queues but the current one, earliest end first */
	struct queue *current;
	struct spare *spares;
	uint64_t newest_ns, delivered_ns;
	uint64_t buffered;
	uint64_t late, odd;
	bool finished;
};

struct merge *merge_new(void)
{
	return calloc(1, sizeof(struct merge));
}

void merge_free(struct merge *merge)
{
	if (merge == NULL)
		return;
	for (struct queue *queue = merge->list, *next; queue != NULL; queue = next) {
		next = queue->next;
		circle_release(&queue->records);
		free(queue);
	}
	for (struct spare *spare = merge->spares, *next; spare != NULL; spare = next) {
		next = spare->next;
		free(spare);
	}
	idmap_release(&merge->threads);
	vec_release(&merge->heap);
	free(merge);
}

static void give_memory(struct merge *merge, struct queue *queue)
{
	struct spare *spare = (struct spare *)(void *)queue->records.items;
	*spare = (struct spare){.next = merge->spares, .capacity = queue->records.capacity};
	merge->spares = spare;
	queue->records.items = NULL;
	queue->records.capacity = 0;
}

static void take_memory(struct merge *merge, struct queue *queue)
{
	struct spare *spare = merge->spares;
	merge->spares = spare->next;
	queue->records.capacity = spare->capacity;
	queue->records.items = (struct record *)(void *)spare;
}

static inline struct record *queue_head(const struct queue *queue)
{
	return circle_at(&queue->records, queue->records.first);
}

static inline uint64_t queue_key(const struct queue *queue)
{
	return queue_head(queue)->end;
}

/* Equal times: the thread with the lower id first: the result must not depend on chance. */
static inline bool earlier(const struct queue *a, const struct queue *b)
{
	uint64_t key_a = queue_key(a), key_b = queue_key(b);
	return key_a != key_b ? key_a < key_b : a->thread < b->thread;
}

static void heap_push(struct merge *merge, struct queue *queue)
{
	size_t at = merge->heap.count++;
	for (; at > 0 && earlier(queue, merge->heap.items[(at - 1) / 2]); at = (at - 1) / 2)
		merge->heap.items[at] = merge->heap.items[(at - 1) / 2];
	merge->heap.items[at] = queue;
}

static struct queue *heap_pop(struct merge *merge)
{
	struct queue *top = merge->heap.items[0];
	struct queue *last = merge->heap.items[--merge->heap.count];
	size_t at = 0;
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= merge->heap.count)
			break;
		if (child + 1 < merge->heap.count &&
			earlier(merge->heap.items[child + 1], merge->heap.items[child]))
			child++;
		if (!earlier(merge->heap.items[child], last))
			break;
		merge->heap.items[at] = merge->heap.items[child];
		at = child;
	}
	if (merge->heap.count > 0)
		merge->heap.items[at] = last;
	return top;
}

static struct queue *queue_of(struct merge *merge, uint32_t thread)
{
	struct queue *queue = idmap_get(&merge->threads, thread);
	if (queue != NULL)
		return queue;
	if (vec_reserve(&merge->heap, merge->threads.count + 1) < 0)
		return NULL;
	queue = calloc(1, sizeof(*queue));
	if (queue == NULL)
		return NULL;
	queue->thread = thread;
	if (idmap_set(&merge->threads, thread, queue) < 0) {
		free(queue);
		return NULL;
	}
	queue->next = merge->list;
	merge->list = queue;
	return queue;
}

static void mend(struct merge *merge, struct record *record)
{
	merge->odd++;
	if (record->begin > MERGE_TIME_LIMIT_NS)
		record->begin = merge->newest_ns;
	if (record->end > MERGE_TIME_LIMIT_NS || record->end < record->begin)
		record->end = record->begin;
}

static void take_in(
	struct merge *merge, struct record *slots, const struct record *records, unsigned count)
{
	uint64_t newest_ns = merge->newest_ns;
	for (unsigned i = 0; i < count; i++) {
		uint64_t end = records[i].end;
		slots[i] = records[i];
		if (end < records[i].begin || end > MERGE_TIME_LIMIT_NS) {
			merge->newest_ns = newest_ns;
			mend(merge, &slots[i]);
			end = slots[i].end;
		}
		if (end > newest_ns)
			newest_ns = end;
	}
	merge->newest_ns = newest_ns;
}

int merge_add(struct merge *merge, uint32_t thread, const struct record *records, unsigned count)
{
	struct queue *queue = count > 0 ? queue_of(merge, thread) : NULL;
	if (count == 0)
		return 0;
	if (queue != NULL && queue->records.capacity == 0 && merge->spares != NULL)
		take_memory(merge, queue);
	if (queue == NULL || circle_reserve(&queue->records, count) < 0)
		return -ENOMEM;
	merge->buffered += count;
	while (count > 0) { /* once more where the memory of the queue ends */
		size_t capacity = queue->records.capacity;
		size_t row = queue->records.until & (capacity - 1);
		unsigned some = count < capacity - row ? count : (unsigned)(capacity - row);
		take_in(merge, &queue->records.items[row], records, some);
		queue->records.until += some;
		records += some;
		count -= some;
	}
	if (!queue->waiting) {
		queue->waiting = true;
		heap_push(merge, queue);
	}
	return 0;
}

void merge_finish(struct merge *merge)
{
	merge->finished = true;
}

/* The queue whose head is the earliest of all, or NULL when there is nothing. */
static struct queue *choose(struct merge *merge)
{
	struct queue *current = merge->current;
	if (current != NULL && circle_count(&current->records) == 0) {
		current->waiting = false;
		if (merge->threads.count > MERGE_THREADS_KEPT)
			give_memory(merge, current);
		current = NULL;
	}
	if (merge->heap.count > 0 && (current == NULL || earlier(merge->heap.items[0], current))) {
		struct queue *next = heap_pop(merge);
		if (current != NULL)
			heap_push(merge, current);
		current = next;
	}
	merge->current = current;
	return current;
}

/* Records that end up to then are due: every thread has been read past it. */
static uint64_t due_until(const struct merge *merge)
{
	if (merge->finished)
		return UINT64_MAX;
	return merge->newest_ns < MERGE_WINDOW_NS ? 0 : merge->newest_ns - MERGE_WINDOW_NS;
}

/*
 * How many records from the head on are due and not after one of another thread; those beyond the
 * limit are due whatever their times. Counts those among them that end before what was delivered.
 */
static size_t count_due(struct merge *merge, const struct queue *queue)
{
	const struct record *head = queue_head(queue);
	uint64_t until = due_until(merge), delivered_ns = merge->delivered_ns, late = 0;
	size_t capacity = queue->records.capacity;
	size_t most = circle_count(&queue->records), row = queue->records.first & (capacity - 1);
	if (most > capacity - row)
		most = capacity - row;
	if (head->end > until) {
		if (merge->buffered <= MERGE_LIMIT)
			return 0;
		if (most > merge->buffered - MERGE_LIMIT)
			most = merge->buffered - MERGE_LIMIT;
		until = UINT64_MAX;
	}
	/* equal times go by thread, so they are left to choose() */
	if (merge->heap.count > 0 && queue_key(merge->heap.items[0]) <= until)
		until = queue_key(merge->heap.items[0]) - 1;
	size_t count = 0;
	do { /* the first one whatever its time */
		uint64_t end = head[count].end;
		/* only calls and operators come in order: devices and loaders report in batches */
		if (end < delivered_ns)
			late += head[count].kind < RECORD_INPUT;
		else
			delivered_ns = end;
		count++;
	} while (count < most && head[count].end <= until);
	merge->late += late;
	merge->delivered_ns = delivered_ns;
	return count;
}

const struct record *merge_next(struct merge *merge, uint32_t *ret_thread, size_t *ret_count)
{
	struct queue *queue = choose(merge);
	if (queue == NULL)
		return NULL;
	const struct record *head = queue_head(queue);
	size_t count = count_due(merge, queue);
	if (count == 0)
		return NULL;
	queue->records.first += count;
	merge->buffered -= count;
	*ret_thread = queue->thread;
	*ret_count = count;
	return head;
}

uint64_t merge_late(const struct merge *merge)
{
	return merge->late;
}

uint64_t merge_odd(const struct merge *merge)
{
	return merge->odd;
}
