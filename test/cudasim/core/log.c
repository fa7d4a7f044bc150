/* SPDX-License-Identifier: MIT */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "settings.h"

#define SLOTS      (1u << 15)
#define TEXT_BYTES (256u * 1024u)
#define LINE_BYTES 16384u /* a kernel's name can have some thousand characters */
#define ANSWERS    4096   /* a power of two, several times more than there are functions */

/* A record with what it points to. */
struct slot {
	uint32_t ready;
	struct log_record record;
	struct sim_detail detail;
};

static struct slot *ring;
static uint64_t head; /* next slot to reserve */
static uint64_t tail; /* next slot to write out; changed under drain_lock only */
static char *text;
static int file = -1;
static int immediate; /* every record is drained by the thread that made it */
static int state;     /* 0 not looked at, 1 no log, 2 open */
static pthread_mutex_t drain_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	void (*give)(const struct log_record *record);                /* NULL: there is none */
	int (*wants)(const char *function, int layer, int is_inside); /* NULL: all calls */
	uint32_t epoch; /* another one since it wants other calls; from 1 */
} tap;

/*
 * What it has said, for most calls that there are leave nothing. A function names itself with the
 * same string each time, and that string's slot is its own for ever, or another's.
 */
static struct answer {
	const char *function;
	uint32_t of[2]; /* outermost, inside another: 2 x the epoch, and whether it is wanted */
} answers[ANSWERS];

static void write_all(const char *bytes, size_t count)
{
	while (count > 0) {
		ssize_t written = write(file, bytes, count);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		bytes += written;
		count -= (size_t)written;
	}
}

static void drain_locked(void)
{
	size_t used = 0;
	uint64_t end = __atomic_load_n(&head, __ATOMIC_ACQUIRE);
	while (tail < end) {
		struct slot *slot = &ring[tail % SLOTS];
		if (!__atomic_load_n(&slot->ready, __ATOMIC_ACQUIRE))
			break;
		if (TEXT_BYTES - used < LINE_BYTES) {
			write_all(text, used);
			used = 0;
		}
		used += log_format(&slot->record, text + used, TEXT_BYTES - used);
		__atomic_store_n(&slot->ready, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&tail, tail + 1, __ATOMIC_RELEASE);
	}
	write_all(text, used);
}

void log_drain(void)
{
	int saved_errno = errno;
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2) {
		pthread_mutex_lock(&drain_lock);
		drain_locked();
		pthread_mutex_unlock(&drain_lock);
	}
	errno = saved_errno;
}

static void *drain_thread(void *unused)
{
	(void)unused;
	for (;;) {
		clock_wait(clock_now() + settings_get()->log_period_ns);
		log_drain();
	}
	return NULL;
}

static void start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (immediate || settings_get()->log_period_ns == 0 ||
		pthread_create(&thread, NULL, drain_thread, NULL))
		immediate = 1;
	else
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Opens the file of that name with %p replaced by the process id. */
static int open_file(const char *name)
{
	char path[4096];
	const char *mark = strstr(name, "%p");
	if (mark)
		snprintf(path, sizeof(path), "%.*s%d%s", (int)(mark - name), name, getpid(),
			mark + 2);
	else
		snprintf(path, sizeof(path), "%s", name);
	int opened = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (opened < 0)
		fprintf(stderr, "cudasim: CUDASIM_LOG: cannot write %s: %s\n", path,
			strerror(errno));
	return opened;
}

static void *map(size_t bytes)
{
	void *mapped =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mapped == MAP_FAILED ? NULL : mapped;
}

static void open_log(void)
{
	int saved_errno = errno;
	const char *name = settings_get()->log;
	pthread_mutex_lock(&drain_lock);
	if (state == 0) {
		int opened = 1;
		file = name ? open_file(name) : -1;
		if (file >= 0) {
			ring = map(SLOTS * sizeof(*ring));
			text = map(TEXT_BYTES);
			opened = ring && text ? 2 : 1;
		}
		if (opened == 2)
			start_thread();
		__atomic_store_n(&state, opened, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&drain_lock);
	errno = saved_errno;
}

static int log_enabled(void)
{
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 0)
		open_log();
	return state == 2;
}

int log_wanted(void)
{
	return __atomic_load_n(&tap.give, __ATOMIC_RELAXED) || log_enabled();
}

static __attribute__((noinline)) int ask_tap(
	struct answer *answer, const char *function, int layer, int is_inside)
{
	const char *owner = NULL;
	uint32_t epoch = __atomic_load_n(&tap.epoch, __ATOMIC_ACQUIRE);
	uint32_t wanted = !tap.wants || tap.wants(function, layer, is_inside);
	if (__atomic_compare_exchange_n(
		    &answer->function, &owner, function, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		owner == function)
		__atomic_store_n(&answer->of[is_inside], 2 * epoch | wanted, __ATOMIC_RELAXED);
	return (int)wanted;
}

int log_wants_call(const char *function, int layer, int is_inside)
{
	if (log_enabled())
		return 1;
	if (!__atomic_load_n(&tap.give, __ATOMIC_ACQUIRE))
		return 0;
	struct answer *answer = &answers[((uintptr_t)function >> 2) % ANSWERS];
	uint32_t told = __atomic_load_n(&answer->of[is_inside], __ATOMIC_RELAXED);
	if (__atomic_load_n(&answer->function, __ATOMIC_RELAXED) == function &&
		told / 2 == __atomic_load_n(&tap.epoch, __ATOMIC_ACQUIRE))
		return told & 1;
	return ask_tap(answer, function, layer, is_inside);
}

void log_tap_changed(void)
{
	(void)__atomic_add_fetch(&tap.epoch, 1, __ATOMIC_RELEASE);
}

void log_set_tap(void (*give)(const struct log_record *record),
	int (*wants)(const char *function, int layer, int is_inside))
{
	tap.wants = wants;
	log_tap_changed();
	__atomic_store_n(&tap.give, give, __ATOMIC_RELEASE);
}

void log_put(const struct log_record *record)
{
	void (*give)(const struct log_record *) = __atomic_load_n(&tap.give, __ATOMIC_ACQUIRE);
	if (give)
		give(record);
	if (!log_enabled())
		return;
	uint64_t number = __atomic_fetch_add(&head, 1, __ATOMIC_RELAXED);
	while (number >= __atomic_load_n(&tail, __ATOMIC_ACQUIRE) + SLOTS)
		log_drain();
	struct slot *slot = &ring[number % SLOTS];
	slot->record = *record;
	slot->detail = *record->detail;
	slot->record.detail = &slot->detail;
	__atomic_store_n(&slot->ready, 1, __ATOMIC_RELEASE);
	if (immediate)
		log_drain();
}

void log_note(const char *what, const char *name)
{
	const struct sim_detail detail = {.set = SIM_SET_TEXT, .name = name};
	const struct log_record record = {
		.type = LOG_NOTE, .what = what, .begin_ns = clock_now(), .detail = &detail};
	log_put(&record);
}

void log_close(void)
{
	immediate = 1;
	log_drain();
}

void log_fork_prepare(void)
{
	pthread_mutex_lock(&drain_lock);
}

void log_fork_parent(void)
{
	pthread_mutex_unlock(&drain_lock);
}

void log_fork_child(void)
{
	pthread_mutex_init(&drain_lock, NULL);
	tap.give = NULL;
	if (state != 2)
		return;
	/* What the parent has not written yet is the parent's to write. */
	munmap(ring, SLOTS * sizeof(*ring));
	munmap(text, TEXT_BYTES);
	close(file);
	head = tail = 0;
	/* Its calls all fail, and it may well end by _exit: no thread, nothing held back. */
	immediate = 1;
	state = 0;
}
