/* SPDX-License-Identifier: MIT */
#include "deliver.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../core/clock.h"
#include "buffer.h"
#include "settings.h"
#include "source.h"
#include "timeline.h"

#define QUEUE_LIMIT    (1u << 18)
#define QUEUE_HURRY    (1u << 14) /* from here on the thread does not wait for its turn */
#define FLUSH_LIMIT_NS 10000000000u
#define ASK_LIMIT_NS   50000000u
#define EXIT_LIMIT_NS  2000000000u
#define BUFFER_FLUSH   (1u << 16) /* kind of overhead */
#define LIST_LEAST     1024u      /* items that a list has room for once it had one */
#define LINE_BYTES     64u        /* of the cache */
#define AHEAD          2          /* items: their memory is asked for before they are written */

struct list {
	struct activity *items;
	size_t count, capacity;
	size_t most; /* at once, of late */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* innermost; never held in a call */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static struct list queue;
static uint64_t period_ns;
static uint64_t flushes_wanted, flushes_done;
static int flush_forced;
static uint32_t gone_context; /* 0: none */
static uint32_t process;
static int runs, passing, exiting, dead;
static int asked_for_buffer, refused;
static uint64_t rounds; /* of the thread */

/* The thread's own. */
static struct list waiting, ready;
static __thread int is_worker;

int deliver_is_dead(void)
{
	return dead;
}

uint32_t deliver_process(void)
{
	return process;
}

/* Pages of its own, so that what is given back is the system's again. */
static int list_resize(struct list *list, size_t capacity)
{
	size_t size = sizeof(*list->items);
	void *items = list->capacity ? mremap(list->items, list->capacity * size, capacity * size,
					       MREMAP_MAYMOVE)
				     : mmap(NULL, capacity * size, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (items == MAP_FAILED)
		return -1;
	list->items = items;
	list->capacity = capacity;
	return 0;
}

/* The thread that makes the calls would wait for memory that the other one has had. */
static void prefetch(const void *line)
{
#ifdef __x86_64__
	__asm__("prefetchw (%0)" : : "r"(line));
#else
	__builtin_prefetch(line, 1);
#endif
}

/* A place at the list's end, with what was there before; NULL: out of memory. */
static struct activity *list_extend(struct list *list)
{
	if (list->count == list->capacity &&
		list_resize(list, list->capacity ? 2 * list->capacity : LIST_LEAST))
		return NULL;
	struct activity *slot = &list->items[list->count++];
	for (size_t line = 0; line < sizeof(*slot); line += LINE_BYTES)
		prefetch((const char *)(slot + AHEAD) + line);
	if (list->count > list->most)
		list->most = list->count;
	return slot;
}

static int list_add(struct list *list, const struct activity *activity)
{
	struct activity *slot = list_extend(list);
	if (!slot)
		return -1;
	*slot = *activity;
	return 0;
}

/*
 * What a burst has needed is not kept: programs are judged by their memory. What each round needs
 * is: its pages would be faulted in again, by the program's threads.
 */
static void list_settle(struct list *list)
{
	while (list->capacity > LIST_LEAST && list->most <= list->capacity / 4 &&
		list_resize(list, list->capacity / 2) == 0)
		;
	list->most = list->count > list->most / 2 ? list->count : list->most / 2;
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

struct activity *deliver_open(enum cupti_kind kind)
{
	pthread_mutex_lock(&lock);
	struct activity *activity = queue.count < QUEUE_LIMIT ? list_extend(&queue) : NULL;
	if (!activity) {
		pthread_mutex_unlock(&lock);
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

void deliver_close(void)
{
	int first = !asked_for_buffer && !buffer_is_held();
	if (first || queue.count == QUEUE_HURRY) {
		asked_for_buffer = 1;
		pthread_cond_signal(&wake);
		if (first && !is_worker && !refused)
			wait_for_buffer();
	}
	pthread_mutex_unlock(&lock);
}

void deliver_put(const struct activity *activity)
{
	struct activity *slot = deliver_open(activity->kind);
	if (!slot)
		return;
	*slot = *activity;
	deliver_close();
}

/* Moves what is complete, or everything, from waiting to ready; the order stays. */
static void sort_out(int all)
{
	uint64_t now_ns = clock_now(), late_ns = settings_get()->late_ns;
	size_t kept = 0;
	for (size_t i = 0; i < waiting.count; i++) {
		struct activity *activity = &waiting.items[i];
		int complete = activity->end_ns == 0 || activity->end_ns + late_ns <= now_ns;
		activity->incomplete = !complete;
		if ((complete || all) && list_add(&ready, activity) == 0)
			continue;
		waiting.items[kept++] = *activity;
	}
	waiting.count = kept;
	list_settle(&waiting);
}

static void write_ready(void)
{
	size_t block = settings_get()->reorder;
	for (size_t i = 0; i < ready.count; i++) {
		size_t from = i;
		if (block > 1) {
			size_t begin = i / block * block, count = ready.count - begin;
			from = begin + (count < block ? count : block) - 1 - i % block;
		}
		buffer_write(&ready.items[from]);
	}
}

static void empty_ready(void)
{
	ready.count = 0;
	list_settle(&ready);
}

/* What this round has cost, to be delivered with the next. */
static void note_overhead(uint64_t begin_ns)
{
	if (ready.count == 0 || !source_has_kind(KIND_OVERHEAD))
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
	sort_out(forced);
	write_ready();
	if (flush && (forced || waiting.count == 0))
		buffer_give_back(forced);
	note_overhead(begin_ns);
	empty_ready();
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

/* Takes over what is queued; the lock is held. */
static void take_queue(void)
{
	if (waiting.count == 0) {
		struct list empty = waiting;
		waiting = queue;
		queue = empty;
		return;
	}
	for (size_t i = 0; i < queue.count; i++) {
		if (list_add(&waiting, &queue.items[i]))
			buffer_add_dropped(1);
	}
	queue.count = 0;
	list_settle(&queue);
}

/* Sleeps until there is something to do; the lock is held. Returns 1 when a pass is due. */
static int wait_for_turn(uint64_t *next_ns)
{
	struct timespec until = {.tv_sec = (time_t)(*next_ns / 1000000000u),
		.tv_nsec = (long)(*next_ns % 1000000000u)};
	while (flushes_wanted == flushes_done && !asked_for_buffer && !gone_context &&
		clock_now() < *next_ns)
		(void)pthread_cond_clockwait(&wake, &lock, CLOCK_MONOTONIC, &until);
	if (flushes_wanted != flushes_done)
		return 1;
	if (exiting || (clock_now() < *next_ns && queue.count < QUEUE_HURRY)) {
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
		int flushing = flush != flushes_done, asked = asked_for_buffer;
		int no_buffer = refused;
		uint32_t gone = gone_context;
		asked_for_buffer = flush_forced = 0;
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
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
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
