/* SPDX-License-Identifier: MIT */
#include "hostfn.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "clock.h"
#include "state.h"
#include "stream.h"

#define NEAR_NS 200000u

struct pending {
	struct pending *next;
	uint64_t number;
	struct hostfn hostfn;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* inside the state's lock */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct pending *pendings; /* in order of enqueueing */
static uint64_t last_number;
static int thread_runs;
static __thread int is_driver_thread;

static void run(struct pending *pending)
{
	struct hostfn *hostfn = &pending->hostfn;
	hostfn->record.begin_ns = clock_now();
	if (hostfn->function)
		hostfn->function(hostfn->user_data);
	else
		hostfn->callback(hostfn->stream, 0, hostfn->user_data);
	hostfn->record.end_ns = clock_now();
	hostfn->record.detail = &hostfn->detail;
	log_put(&hostfn->record);
	state_lock();
	stream_advance(hostfn->resolved, (struct sim_point){.end_ns = hostfn->record.end_ns});
	state_unlock();
}

/* The one that is due first; of those due at the same moment the one enqueued first. */
static struct pending *next_due(void)
{
	struct pending *first = pendings;
	for (struct pending *pending = pendings; pending; pending = pending->next) {
		if (pending->hostfn.begin_ns < first->hostfn.begin_ns)
			first = pending;
	}
	return first;
}

static void forget(struct pending *done)
{
	struct pending **link = &pendings;
	while (*link != done)
		link = &(*link)->next;
	*link = done->next;
	free(done);
}

/* Sleeps, woken by new functions, while the moment is far. Returns 1 if it did. */
static int sleep_before(uint64_t begin_ns)
{
	if (begin_ns < clock_now() + NEAR_NS)
		return 0;
	uint64_t wake_ns = begin_ns - NEAR_NS;
	struct timespec wake = {.tv_sec = (time_t)(wake_ns / 1000000000u),
		.tv_nsec = (long)(wake_ns % 1000000000u)};
	(void)pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &wake);
	return 1;
}

static void *call_functions(void *unused)
{
	(void)unused;
	is_driver_thread = 1;
	pthread_mutex_lock(&lock);
	for (;;) {
		struct pending *pending = next_due();
		if (!pending) {
			pthread_cond_wait(&changed, &lock);
			continue;
		}
		if (sleep_before(pending->hostfn.begin_ns))
			continue; /* another one may have come that is due earlier */
		pthread_mutex_unlock(&lock);
		clock_wait(pending->hostfn.begin_ns);
		run(pending);
		pthread_mutex_lock(&lock);
		forget(pending);
		pthread_cond_broadcast(&changed);
	}
	return NULL;
}

static void start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;
	if (thread_runs)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, call_functions, NULL) == 0) {
		pthread_detach(thread);
		thread_runs = 1;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

uint64_t hostfn_add(const struct hostfn *hostfn)
{
	struct pending *pending = malloc(sizeof(*pending));
	if (!pending)
		return 0;
	pthread_mutex_lock(&lock);
	pending->next = NULL;
	pending->number = ++last_number;
	pending->hostfn = *hostfn;
	uint64_t number = pending->number;
	struct pending **link = &pendings;
	while (*link)
		link = &(*link)->next;
	*link = pending;
	start_thread();
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return number;
}

/*
 * A point carries only the latest number of the functions it waits for. The others are older and
 * were due by the same moment, so everything that is both counts.
 */
static int done_locked(uint64_t number, uint64_t end_ns)
{
	for (const struct pending *pending = pendings; pending; pending = pending->next) {
		if (pending->number <= number && pending->hostfn.begin_ns <= end_ns)
			return 0;
	}
	return 1;
}

int hostfn_done(uint64_t number, uint64_t end_ns)
{
	if (number == 0)
		return 1;
	pthread_mutex_lock(&lock);
	int done = done_locked(number, end_ns);
	pthread_mutex_unlock(&lock);
	return done;
}

void hostfn_wait(uint64_t number, uint64_t end_ns)
{
	/* A function that waits for itself would never return; the API forbids such calls. */
	if (is_driver_thread)
		return;
	pthread_mutex_lock(&lock);
	while (!done_locked(number, end_ns))
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}
