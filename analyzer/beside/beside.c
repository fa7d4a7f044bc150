/* SPDX-License-Identifier: MIT */
#include "analyzer/beside/beside.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/processors.h"

/* A sleep costs as much as a chunk: each side gets up for half of them, the other has the rest. */
#define CHUNKS  32u
#define RECORDS 512u /* of a chunk */
#define BATCHES 128u /* the same */
#define WAKE    16u  /* chunks for which the thread gets up */
#define LEFT    16u  /* chunks for which the caller does */

struct batch {
	unsigned what;
	uint32_t thread, count;
};

struct chunk {
	unsigned batch_count, record_count;
	struct batch batches[BATCHES];
	struct record records[RECORDS];
};

struct beside {
	struct beside_sink sink;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	/* under the lock; numbers only grow */
	uint64_t sent, taken; /* chunks; the one behind those sent is being filled */
	uint64_t left;        /* the caller waits until so few are */
	bool sleeps;          /* the thread: until the caller says otherwise */
	bool wanting, ending; /* the caller waits; wants no more */
	int err;
	struct chunk *chunks;
};

static struct chunk *chunk_at(const struct beside *beside, uint64_t number)
{
	return &beside->chunks[number % CHUNKS];
}

static int empty(const struct beside *beside, struct chunk *chunk)
{
	const struct record *records = chunk->records;
	int err = 0;
	for (unsigned i = 0; i < chunk->batch_count && err == 0; i++) {
		const struct batch *batch = &chunk->batches[i];
		err = beside->sink.take(
			beside->sink.context, batch->what, batch->thread, records, batch->count);
		records += batch->count;
	}
	chunk->batch_count = chunk->record_count = 0;
	return err;
}

/* Under the lock, which is given back meanwhile. */
static void take_oldest(struct beside *beside)
{
	struct chunk *chunk = chunk_at(beside, beside->taken);
	int err = beside->err;
	(void)pthread_mutex_unlock(&beside->lock);
	if (err == 0)
		err = empty(beside, chunk);
	(void)pthread_mutex_lock(&beside->lock);
	beside->err = err;
	beside->taken++;
	if (beside->wanting && beside->sent - beside->taken <= beside->left)
		(void)pthread_cond_signal(&beside->done);
}

static void *run(void *context)
{
	struct beside *beside = context;
	(void)pthread_mutex_lock(&beside->lock);
	while (!beside->ending) {
		if (beside->sent - beside->taken < WAKE) {
			beside->sleeps = true;
			if (beside->wanting)
				(void)pthread_cond_signal(&beside->done);
			while (beside->sleeps && !beside->ending)
				(void)pthread_cond_wait(&beside->more, &beside->lock);
			continue;
		}
		while (beside->taken < beside->sent && !beside->ending)
			take_oldest(beside);
	}
	(void)pthread_mutex_unlock(&beside->lock);
	return NULL;
}

/* Signals are for the thread that has always been there; its stack is as large as that one's. */
static int start(struct beside *beside)
{
	sigset_t all, before;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int err = pthread_create(&beside->thread, NULL, run, beside);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static void release(struct beside *beside)
{
	(void)pthread_mutex_destroy(&beside->lock);
	(void)pthread_cond_destroy(&beside->more);
	(void)pthread_cond_destroy(&beside->done);
	free(beside->chunks);
	free(beside);
}

struct beside *beside_new(const struct beside_sink *sink)
{
	struct beside *beside = processors_allowed() > 1 ? calloc(1, sizeof(*beside)) : NULL;
	if (beside == NULL)
		return NULL;
	beside->sink = *sink;
	(void)pthread_mutex_init(&beside->lock, NULL);
	(void)pthread_cond_init(&beside->more, NULL);
	(void)pthread_cond_init(&beside->done, NULL);
	beside->chunks = calloc(CHUNKS, sizeof(*beside->chunks));
	if (beside->chunks != NULL && start(beside) == 0)
		return beside;
	release(beside);
	return NULL;
}

void beside_free(struct beside *beside)
{
	if (beside == NULL)
		return;
	(void)pthread_mutex_lock(&beside->lock);
	beside->ending = true;
	(void)pthread_cond_signal(&beside->more);
	(void)pthread_mutex_unlock(&beside->lock);
	(void)pthread_join(beside->thread, NULL);
	release(beside);
}

/* Under the lock: until no more than that many are left, or the thread sleeps. */
static void wait_until(struct beside *beside, uint64_t left)
{
	beside->left = left;
	beside->wanting = true;
	while (beside->sent - beside->taken > left && !beside->sleeps)
		(void)pthread_cond_wait(&beside->done, &beside->lock);
	beside->wanting = false;
}

/* The chunk that was filled is the thread's; when all are, until it has taken most of them. */
static int send(struct beside *beside)
{
	(void)pthread_mutex_lock(&beside->lock);
	beside->sent++;
	if (beside->sleeps && beside->sent - beside->taken >= WAKE) {
		beside->sleeps = false;
		(void)pthread_cond_signal(&beside->more);
	}
	if (beside->sent - beside->taken == CHUNKS)
		wait_until(beside, LEFT);
	int err = beside->err;
	(void)pthread_mutex_unlock(&beside->lock);
	return err;
}

/* The batch that records belong to; NULL: the chunk is full. */
static struct batch *batch_of(struct chunk *chunk, unsigned what, uint32_t thread)
{
	unsigned count = chunk->batch_count;
	struct batch *last = &chunk->batches[count > 0 ? count - 1 : 0];
	if (chunk->record_count == RECORDS)
		return NULL;
	if (count > 0 && last->what == what && last->thread == thread)
		return last;
	if (count == BATCHES)
		return NULL;
	chunk->batches[chunk->batch_count++] = (struct batch){.what = what, .thread = thread};
	return &chunk->batches[count];
}

int beside_give(struct beside *beside, unsigned what, uint32_t thread, const struct record *records,
	size_t count)
{
	for (;;) {
		struct chunk *chunk = chunk_at(beside, beside->sent);
		struct batch *batch = batch_of(chunk, what, thread);
		if (batch != NULL) {
			unsigned room = RECORDS - chunk->record_count;
			unsigned some = count < room ? (unsigned)count : room;
			if (some > 0)
				memcpy(&chunk->records[chunk->record_count], records,
					some * sizeof(*records));
			chunk->record_count += some;
			batch->count += some;
			count -= some;
			if (count == 0)
				return 0;
			records += some;
		}
		int err = send(beside);
		if (err < 0)
			return err;
	}
}

int beside_settle(struct beside *beside)
{
	(void)pthread_mutex_lock(&beside->lock);
	wait_until(beside, 0);
	for (; beside->taken < beside->sent; beside->taken++)
		beside->err = beside->err < 0 ? beside->err
					      : empty(beside, chunk_at(beside, beside->taken));
	if (beside->err == 0)
		beside->err = empty(beside, chunk_at(beside, beside->sent));
	int err = beside->err;
	(void)pthread_mutex_unlock(&beside->lock);
	return err;
}
