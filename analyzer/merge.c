/* SPDX-License-Identifier: MIT */
#include "analyzer/merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/idmap.h"

/* No clock of a machine reaches this: 146 years of CLOCK_MONOTONIC. */
#define TIME_LIMIT_NS (1ull << 62)

/* A thread's records that were not delivered yet, as a circle of a power of two. */
struct queue {
	struct queue *next; /* all queues, to free them */
	struct record *records;
	uint64_t head, tail; /* positions ever written and delivered */
	uint64_t capacity;
	uint32_t thread;
	bool waiting; /* in the heap, or the current one */
};

struct merge {
	struct idmap threads; /* id -> struct queue */
	struct queue *list;
	struct queue **heap; /* waiting queues but the current one, earliest end first */
	size_t heap_count, heap_capacity;
	struct queue *current;
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
		free(queue->records);
		free(queue);
	}
	idmap_release(&merge->threads);
	free(merge->heap);
	free(merge);
}

static inline struct record *queue_head(const struct queue *queue)
{
	return &queue->records[queue->tail & (queue->capacity - 1)];
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
	size_t at = merge->heap_count++;
	for (; at > 0 && earlier(queue, merge->heap[(at - 1) / 2]); at = (at - 1) / 2)
		merge->heap[at] = merge->heap[(at - 1) / 2];
	merge->heap[at] = queue;
}

static struct queue *heap_pop(struct merge *merge)
{
	struct queue *top = merge->heap[0];
	struct queue *last = merge->heap[--merge->heap_count];
	size_t at = 0;
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= merge->heap_count)
			break;
		if (child + 1 < merge->heap_count &&
			earlier(merge->heap[child + 1], merge->heap[child]))
			child++;
		if (!earlier(merge->heap[child], last))
			break;
		merge->heap[at] = merge->heap[child];
		at = child;
	}
	if (merge->heap_count > 0)
		merge->heap[at] = last;
	return top;
}

static struct queue *queue_of(struct merge *merge, uint32_t thread)
{
	struct queue *queue = idmap_get(&merge->threads, thread);
	if (queue != NULL)
		return queue;
	if (merge->threads.count == merge->heap_capacity) {
		size_t capacity = merge->heap_capacity == 0 ? 16 : 2 * merge->heap_capacity;
		struct queue **heap = realloc(merge->heap, capacity * sizeof(struct queue *));
		if (heap == NULL)
			return NULL;
		merge->heap = heap;
		merge->heap_capacity = capacity;
	}
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

static int queue_reserve(struct queue *queue, unsigned more)
{
	uint64_t used = queue->head - queue->tail;
	if (used + more <= queue->capacity)
		return 0;
	uint64_t capacity = queue->capacity == 0 ? 64 : queue->capacity;
	while (capacity < used + more)
		capacity *= 2;
	struct record *records = malloc(capacity * sizeof(*records));
	if (records == NULL)
		return -ENOMEM;
	for (uint64_t i = 0; i < used; i++)
		records[i] = queue->records[(queue->tail + i) & (queue->capacity - 1)];
	free(queue->records);
	queue->records = records;
	queue->capacity = capacity;
	queue->tail = 0;
	queue->head = used;
	return 0;
}

static void mend(struct merge *merge, struct record *record)
{
	merge->odd++;
	if (record->begin > TIME_LIMIT_NS)
		record->begin = merge->newest_ns;
	if (record->end > TIME_LIMIT_NS || record->end < record->begin)
		record->end = record->begin;
}

int merge_add(struct merge *merge, uint32_t thread, const struct record *records, unsigned count)
{
	struct queue *queue = queue_of(merge, thread);
	if (queue == NULL || queue_reserve(queue, count) < 0)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		struct record *slot = &queue->records[queue->head & (queue->capacity - 1)];
		*slot = records[i];
		if (slot->end < slot->begin || slot->end > TIME_LIMIT_NS)
			mend(merge, slot);
		if (slot->end > merge->newest_ns)
			merge->newest_ns = slot->end;
		queue->head++;
	}
	merge->buffered += count;
	if (!queue->waiting && count > 0) {
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
	if (current != NULL && current->head == current->tail) {
		current->waiting = false;
		current = NULL;
	}
	if (merge->heap_count > 0 && (current == NULL || earlier(merge->heap[0], current))) {
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
 * limit are due whatever their times.
 */
static size_t count_due(const struct merge *merge, const struct queue *queue)
{
	const struct record *head = queue_head(queue);
	uint64_t until = due_until(merge);
	uint64_t at = queue->tail & (queue->capacity - 1);
	uint64_t most = queue->head - queue->tail;
	if (most > queue->capacity - at)
		most = queue->capacity - at;
	if (head->end > until) {
		if (merge->buffered <= MERGE_LIMIT)
			return 0;
		if (most > merge->buffered - MERGE_LIMIT)
			most = merge->buffered - MERGE_LIMIT;
		until = UINT64_MAX;
	}
	/* equal times go by thread, so they are left to choose() */
	if (merge->heap_count > 0 && queue_key(merge->heap[0]) <= until)
		until = queue_key(merge->heap[0]) - 1;
	size_t count = 1;
	while (count < most && head[count].end <= until)
		count++;
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
	queue->tail += count;
	merge->buffered -= count;
	for (size_t i = 0; i < count; i++) {
		/* only calls and operators come in order: devices and loaders report in batches */
		if (head[i].end < merge->delivered_ns)
			merge->late += head[i].kind < RECORD_INPUT;
		else
			merge->delivered_ns = head[i].end;
	}
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
