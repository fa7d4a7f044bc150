/* SPDX-License-Identifier: MIT */
#include "analyzer/run/abreast.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "collector/base/processors.h"

#define THREADS 16u /* each holds a process in memory */

/* A file that is being read or was, until it is given out. */
struct place {
	struct abreast *abreast;
	size_t index; /* of the file */
	struct process process;
	struct err_at at;
	int result;
	bool done;
};

struct abreast {
	char *const *paths;
	size_t count;
	const struct process_options *options;
	struct place *places; /* one for each thread; of file i: i modulo their number */
	pthread_t threads[THREADS];
	size_t thread_count;
	pthread_mutex_t lock;
	pthread_cond_t done, room;
	/* under the lock */
	size_t begun, given;
	bool waits, ending;
};

/* Where the file is that the caller waits for. */
static void tell(void *context, const struct process *process)
{
	const struct place *place = context;
	struct abreast *abreast = place->abreast;
	(void)pthread_mutex_lock(&abreast->lock);
	if (abreast->waits && place->index == abreast->given)
		abreast->options->progress(abreast->options->progress_context, process);
	(void)pthread_mutex_unlock(&abreast->lock);
}

static void read_file(struct abreast *abreast, struct place *place)
{
	struct process_options options = *abreast->options;
	if (options.progress != NULL)
		options.progress = tell;
	options.progress_context = place;
	options.crowded = 2 * abreast->thread_count > processors_allowed();
	place->result =
		process_init(&place->process, abreast->paths[place->index], &options, &place->at);
}

static void *run(void *context)
{
	struct abreast *abreast = context;
	(void)pthread_mutex_lock(&abreast->lock);
	for (;;) {
		while (!abreast->ending && abreast->begun < abreast->count &&
			abreast->begun == abreast->given + abreast->thread_count)
			(void)pthread_cond_wait(&abreast->room, &abreast->lock);
		if (abreast->ending || abreast->begun == abreast->count)
			break;
		struct place *place = &abreast->places[abreast->begun % abreast->thread_count];
		*place = (struct place){.abreast = abreast, .index = abreast->begun++};
		(void)pthread_mutex_unlock(&abreast->lock);
		read_file(abreast, place);
		(void)pthread_mutex_lock(&abreast->lock);
		place->done = true;
		(void)pthread_cond_signal(&abreast->done);
	}
	(void)pthread_mutex_unlock(&abreast->lock);
	return NULL;
}

/* As many threads as there can be; with less than two there are none. */
static void start(struct abreast *abreast, size_t wanted)
{
	sigset_t all, before;
	size_t started = 0;
	(void)sigfillset(&all);
	/* signals are for the thread that has always been there */
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	(void)pthread_mutex_lock(&abreast->lock);
	while (started < wanted &&
		pthread_create(&abreast->threads[started], NULL, run, abreast) == 0)
		started++;
	abreast->thread_count = started;
	(void)pthread_mutex_unlock(&abreast->lock);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct abreast *abreast_new(char *const *paths, size_t count, const struct process_options *options)
{
	struct abreast *abreast = calloc(1, sizeof(*abreast));
	if (abreast == NULL)
		return NULL;
	*abreast = (struct abreast){.paths = paths, .count = count, .options = options};
	(void)pthread_mutex_init(&abreast->lock, NULL);
	(void)pthread_cond_init(&abreast->done, NULL);
	(void)pthread_cond_init(&abreast->room, NULL);
	size_t wanted = processors_allowed();
	wanted = wanted < count ? wanted : count;
	wanted = wanted < THREADS ? wanted : THREADS;
	if (wanted > 1 && (abreast->places = calloc(wanted, sizeof(*abreast->places))) != NULL)
		start(abreast, wanted);
	return abreast;
}

void abreast_free(struct abreast *abreast)
{
	if (abreast == NULL)
		return;
	(void)pthread_mutex_lock(&abreast->lock);
	abreast->ending = true;
	(void)pthread_cond_broadcast(&abreast->room);
	(void)pthread_mutex_unlock(&abreast->lock);
	for (size_t i = 0; i < abreast->thread_count; i++)
		(void)pthread_join(abreast->threads[i], NULL);
	for (; abreast->given < abreast->begun && abreast->thread_count > 0; abreast->given++) {
		struct place *place = &abreast->places[abreast->given % abreast->thread_count];
		if (place->result == 0)
			process_release(&place->process);
	}
	(void)pthread_mutex_destroy(&abreast->lock);
	(void)pthread_cond_destroy(&abreast->done);
	(void)pthread_cond_destroy(&abreast->room);
	free(abreast->places);
	free(abreast);
}

int abreast_next(struct abreast *abreast, struct process *ret_process, struct err_at *reterr)
{
	if (abreast->thread_count == 0)
		return process_init(
			ret_process, abreast->paths[abreast->given++], abreast->options, reterr);
	(void)pthread_mutex_lock(&abreast->lock);
	struct place *place = &abreast->places[abreast->given % abreast->thread_count];
	abreast->waits = true;
	while (!place->done || place->index != abreast->given)
		(void)pthread_cond_wait(&abreast->done, &abreast->lock);
	abreast->waits = false;
	abreast->given++;
	int result = place->result;
	*ret_process = place->process;
	*reterr = place->at;
	(void)pthread_cond_broadcast(&abreast->room);
	(void)pthread_mutex_unlock(&abreast->lock);
	return result;
}
