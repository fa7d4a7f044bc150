/* SPDX-License-Identifier: MIT */
#include "deliver.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../core/clock.h"
#include "buffer.h"
#include "list.h"
#include "settings.h"
#include "source.h"
#include "timeline.h"

#define QUEUE_LIMIT    (1u << 18)
#define QUEUE_HURRY    (1u << 14) /* from here on the thread does not wait for its turn */
#define FLUSH_LIMIT_NS 10000000000u
#define ASK_LIMIT_NS   50000000u
#define EXIT_LIMIT_NS  2000000000u
#define BUFFER_FLUSH   (1u << 16) /* kind of overhead */
#define SPINS          100u       /* then whoever is at the queue has no processor */
#define PAUSE_NS       20000

/*
 * What the threads that make calls need, in one line of the cache. Who is at the queue leaves it
 * so soon that others do not sleep over it.
 */
static struct {
	int taken;
	int asked_for_buffer;
	struct list queue;
} front __attribute__((aligned(LIST_LINE_BYTES)));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the rest; never held in a call */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static uint64_t period_ns;
static uint64_t flushes_wanted, flushes_done;
static int flush_forced;
static uint32_t gone_context; /* 0: none */
static uint32_t process;
static int runs, passing, exiting, dead;
static int refused;
static uint64_t rounds; /* of the thread */

/* The thread's own. */
static struct list waiting, ready, spare;
static __thread int is_worker;

int deliver_is_dead(void)
{
	return dead;
}

uint32_t deliver_process(void)
{
	return process;
}

/* Within the lock, where both are held. */
static inline void enter_queue(void)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	for (unsigned i = 1; __atomic_exchange_n(&front.taken, 1, __ATOMIC_ACQUIRE); i++) {
		if (i % SPINS == 0)
			(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
}

static inline void leave_queue(void)
{
	__atomic_store_n(&front.taken, 0, __ATOMIC_RELEASE);
}

/*
 * Waits, with the lock held, until the thread has asked the client for a buffer: a client may take
 * it that there is nothing to flush while it was not asked for one.
 */
static void wait_for_buffer(void)
{
	/* a round that is under way may have looked at the queue already */
	uint64_t round = rounds + (passing ? 2 : 1), end_ns = clock_now() + ASK_LIMIT_NS;
	struct timespec until = {
		.tv_sec = (time_t)(end_ns / 1000000000u), .tv_nsec = (long)(end_ns % 1000000000u)};
	while (runs && rounds < round) {
		if (pthread_cond_clockwait(&done, &lock, CLOCK_MONOTONIC, &until))
			return;
	}
}

static __attribute__((noinline, cold)) void ask_for_buffer(int first)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(&front.asked_for_buffer, 1, __ATOMIC_RELAXED);
	pthread_cond_signal(&wake);
	if (first && !is_worker && !refused)
		wait_for_buffer();
	pthread_mutex_unlock(&lock);
}

CUPTI_HOT struct activity *deliver_open(enum cupti_kind kind)
{
	enter_queue();
	struct activity *activity =
		front.queue.count < QUEUE_LIMIT ? list_extend(&front.queue) : NULL;
	if (!activity) {
		leave_queue();
		buffer_add_dropped(1);
		return NULL;
	}
	/* by lines, for a larger size would be cleared by a loop */
	memset(activity, 0, ACTIVITY_CALL_BYTES);
	if (kind != KIND_RUNTIME && kind != KIND_DRIVER)
		memset((char *)activity + ACTIVITY_CALL_BYTES, 0,
			sizeof(*activity) - ACTIVITY_CALL_BYTES);
	activity->kind = kind;
	return activity;
}

CUPTI_HOT void deliver_close(void)
{
	int hurry = front.queue.count == QUEUE_HURRY;
	int first =
		!__atomic_load_n(&front.asked_for_buffer, __ATOMIC_RELAXED) && !buffer_is_held();
	leave_queue();
	if (first || hurry)
		ask_for_buffer(first);
}

void deliver_put(const struct activity *activity)
{
	struct activity *slot = deliver_open(activity->kind);
	if (!slot)
		return;
	*slot = *activity;
	deliver_close();
}

/*
 * Writes what is complete, or everything; the order stays. What is to come in another one is
 * moved from waiting to ready. Returns how many.
 */
static size_t sort_out(int all)
{
	uint64_t now_ns = clock_now(), late_ns = settings_get()->late_ns;
	int reordered = settings_get()->reorder > 1;
	size_t kept = 0, count = waiting.count;
	for (size_t i = 0; i < count; i++) {
		struct activity *activity = &waiting.items[i];
		int complete = activity->end_ns == 0 || activity->end_ns + late_ns <= now_ns;
		activity->incomplete = !complete;
		if (!(complete || all) || (reordered && list_add(&ready, activity)))
			waiting.items[kept++] = *activity;
		else if (!reordered)
			buffer_write(activity);
	}
	waiting.count = kept;
	list_settle(&waiting);
	return count - kept;
}

static void write_ready(void)
{
	size_t block = settings_get()->reorder;
	for (size_t i = 0; i < ready.count; i++) {
		size_t begin = i / block * block, count = ready.count - begin;
		size_t from = begin + (count < block ? count : block) - 1 - i % block;
		buffer_write(&ready.items[from]);
	}
	ready.count = 0;
	list_settle(&ready);
}

/* What this round has cost, to be delivered with the next. */
static void note_overhead(uint64_t begin_ns)
{
	if (!source_has_kind(KIND_OVERHEAD))
		return;
	struct activity overhead = {.kind = KIND_OVERHEAD,
		.type = BUFFER_FLUSH,
		.process = process,
		.thread = (uint32_t)syscall(SYS_gettid),
		.begin_ns = begin_ns,
		.end_ns = clock_now()};
	(void)list_add(&waiting, &overhead);
}

static void pass(int flush, int forced)
{
	uint64_t begin_ns = clock_now();
	timeline_refresh();
	size_t written = sort_out(forced);
	write_ready();
	if (flush && (forced || waiting.count == 0))
		buffer_give_back(forced);
	if (written > 0)
		note_overhead(begin_ns);
}

static void forget(uint32_t context)
{
	size_t kept = 0;
	for (size_t i = 0; i < waiting.count; i++) {
		if (waiting.items[i].context != context)
			waiting.items[kept++] = waiting.items[i];
	}
	waiting.count = kept;
	buffer_forget(context);
}

/* Takes over what is queued. */
static void take_queue(void)
{
	struct list *target = waiting.count ? &spare : &waiting;
	enter_queue();
	list_swap(&front.queue, target);
	leave_queue();
	for (size_t i = 0; i < spare.count; i++) {
		if (list_add(&waiting, &spare.items[i]))
			buffer_add_dropped(1);
	}
	spare.count = 0;
	list_settle(&spare);
}

static size_t queue_count(void)
{
	enter_queue();
	size_t count = front.queue.count;
	leave_queue();
	return count;
}

/* Sleeps until there is something to do; the lock is held. Returns 1 when a pass is due. */
static int wait_for_turn(uint64_t *next_ns)
{
	struct timespec until = {.tv_sec = (time_t)(*next_ns / 1000000000u),
		.tv_nsec = (long)(*next_ns % 1000000000u)};
	while (flushes_wanted == flushes_done && !front.asked_for_buffer && !gone_context &&
		clock_now() < *next_ns)
		(void)pthread_cond_clockwait(&wake, &lock, CLOCK_MONOTONIC, &until);
	if (flushes_wanted != flushes_done)
		return 1;
	if (exiting || (clock_now() < *next_ns && queue_count() < QUEUE_HURRY)) {
		if (clock_now() >= *next_ns)
			*next_ns = clock_now() + 1000000000u;
		return 0;
	}
	*next_ns = clock_now() + (period_ns ? period_ns : settings_get()->delay_ns);
	return 1;
}

static void *deliver(void *unused)
{
	uint64_t next_ns = 0;
	(void)unused;
	is_worker = 1;
	pthread_mutex_lock(&lock);
	for (;;) {
		int due = wait_for_turn(&next_ns);
		uint64_t flush = flushes_wanted;
		int forced = flush_forced, quiet = exiting && !due;
		int flushing = flush != flushes_done, asked = front.asked_for_buffer;
		int no_buffer = refused;
		uint32_t gone = gone_context;
		__atomic_store_n(&front.asked_for_buffer, 0, __ATOMIC_RELAXED);
		flush_forced = 0;
		take_queue();
		passing = 1;
		pthread_mutex_unlock(&lock);
		if (gone)
			forget(gone);
		if (due)
			pass(flushing, forced);
		if (!quiet && (asked || !flushing) && waiting.count)
			no_buffer = buffer_ensure() != 0;
		pthread_mutex_lock(&lock);
		refused = no_buffer;
		rounds++;
		passing = 0;
		gone_context = gone == gone_context ? 0 : gone_context;
		flushes_done = flush;
		pthread_cond_broadcast(&done);
	}
	return NULL;
}

/* Waits, with the lock held, until the thread has done it, but never for ever. */
static void wait_done(const int *busy, uint64_t ticket, uint64_t limit_ns)
{
	uint64_t end_ns = clock_now() + limit_ns;
	struct timespec until = {
		.tv_sec = (time_t)(end_ns / 1000000000u), .tv_nsec = (long)(end_ns % 1000000000u)};
	while (runs && (flushes_done < ticket || (busy && *busy))) {
		if (pthread_cond_clockwait(&done, &lock, CLOCK_MONOTONIC, &until))
			return;
	}
}

void deliver_flush(int forced)
{
	if (is_worker || dead)
		return;
	pthread_mutex_lock(&lock);
	flush_forced |= forced;
	uint64_t ticket = ++flushes_wanted;
	pthread_cond_signal(&wake);
	wait_done(NULL, ticket, FLUSH_LIMIT_NS);
	pthread_mutex_unlock(&lock);
}

void deliver_forget(uint32_t context)
{
	if (is_worker || dead)
		return;
	pthread_mutex_lock(&lock);
	uint64_t end_ns = clock_now() + EXIT_LIMIT_NS;
	struct timespec until = {
		.tv_sec = (time_t)(end_ns / 1000000000u), .tv_nsec = (long)(end_ns % 1000000000u)};
	gone_context = runs ? context : 0;
	pthread_cond_signal(&wake);
	while (gone_context == context && context) {
		if (pthread_cond_clockwait(&done, &lock, CLOCK_MONOTONIC, &until))
			break;
	}
	pthread_mutex_unlock(&lock);
}

void deliver_set_period(uint32_t period_ms)
{
	pthread_mutex_lock(&lock);
	period_ns = period_ms * (uint64_t)1000000;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/* The client may be gone after this: only what it asks for itself is still delivered. */
static void at_exit(void)
{
	if (is_worker || dead)
		return;
	pthread_mutex_lock(&lock);
	exiting = 1;
	wait_done(&passing, flushes_done, EXIT_LIMIT_NS);
	pthread_mutex_unlock(&lock);
}

void deliver_start(void)
{
	sigset_t all, before;
	pthread_t thread;
	if (dead)
		return;
	pthread_mutex_lock(&lock);
	if (!runs) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		if (pthread_create(&thread, NULL, deliver, NULL) == 0) {
			pthread_detach(thread);
			runs = 1;
			(void)atexit(at_exit);
		}
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_mutex_unlock(&lock);
}

static void fork_prepare(void)
{
	pthread_mutex_lock(&lock);
	enter_queue();
}

static void fork_parent(void)
{
	leave_queue();
	pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
	leave_queue();
	pthread_mutex_init(&lock, NULL);
	dead = runs;
	runs = 0;
	process = (uint32_t)getpid();
}

__attribute__((constructor)) static void deliver_load(void)
{
	process = (uint32_t)getpid();
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}
