/* SPDX-License-Identifier: MIT */
#include "collector/drain/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/drain/passes.h"

#define BUSY_WAIT_MS 10u
#define IDLE_WAIT_MS 320u
#define STACK_BYTES  (1u << 20)

enum drain_phase {
	DRAIN_NONE,
	DRAIN_RUNNING,
	DRAIN_ENDED
};

static struct {
	struct drain_options options;
	uint32_t phase;    /* enum drain_phase; a futex */
	uint32_t asleep;   /* a futex: 1 while the thread sleeps */
	uint32_t asked;    /* flushes asked for */
	uint32_t answered; /* the last one that is done; a futex */
	uint32_t stopping;
	char reason[24];
	bool complete;
	uint64_t closing_offset;
	uint32_t closing_sequence;
	pid_t tid;
	bool alone;    /* every other thread has ended: exit() runs on the drain thread */
	sigset_t mask; /* of the thread that started this one */
	uint64_t events, lost;
} drain;

static struct passes passes;

static void futex_wait(uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec timeout = {
		(time_t)(timeout_ns / 1000000000ull), (long)(timeout_ns % 1000000000ull)};
	(void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void drain_wake(void)
{
	uint32_t asleep = 1;
	if (!__atomic_compare_exchange_n(
		    &drain.asleep, &asleep, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return;
	int saved = errno;
	futex_wake(&drain.asleep);
	errno = saved;
}

static bool is_wanted(void)
{
	return __atomic_load_n(&drain.stopping, __ATOMIC_SEQ_CST) != 0 ||
	       __atomic_load_n(&drain.asked, __ATOMIC_SEQ_CST) !=
		       __atomic_load_n(&drain.answered, __ATOMIC_RELAXED);
}

static void sleep_ms(unsigned timeout_ms)
{
	__atomic_store_n(&drain.asleep, 1, __ATOMIC_SEQ_CST);
	if (!is_wanted())
		futex_wait(&drain.asleep, 1, timeout_ms * 1000000ull);
	__atomic_store_n(&drain.asleep, 0, __ATOMIC_SEQ_CST);
}

static void publish_totals(void)
{
	__atomic_store_n(&drain.events, passes.writer.events, __ATOMIC_RELAXED);
	__atomic_store_n(&drain.lost, passes.writer.lost, __ATOMIC_RELAXED);
}

/* What was recorded before the question is in the file after this. */
static void answer_flushes(void)
{
	uint32_t asked = __atomic_load_n(&drain.asked, __ATOMIC_SEQ_CST);
	if (asked == drain.answered)
		return;
	(void)passes_run(&passes);
	writer_tell_losses(&passes.writer, passes_now_ns(&passes));
	if (passes_flush(&passes, true) < 0)
		return;
	publish_totals();
	__atomic_store_n(&drain.answered, asked, __ATOMIC_SEQ_CST);
	futex_wake(&drain.answered);
}

/*
 * The main thread left by pthread_exit() and so did all others: the process would have ended,
 * were it not for us. Returning from the last thread makes libc call exit().
 */
static bool is_alone(void)
{
	struct stat status;
	char path[64], text[256];
	/* Two folders by themselves, the main thread and this one. */
	if (stat("/proc/self/task", &status) < 0 || status.st_nlink != 4)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		(void)close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	/* The name before the state may hold anything. */
	const char *state = strrchr(text, ')');
	return state != NULL && state[1] == ' ' && (state[2] == 'Z' || state[2] == 'X');
}

static void work_until_stopped(void)
{
	unsigned wait_ms = BUSY_WAIT_MS;
	bool first = true;
	while (!__atomic_load_n(&drain.stopping, __ATOMIC_SEQ_CST)) {
		sleep_ms(wait_ms);
		uint64_t before = passes.taken;
		(void)passes_run(&passes);
		passes_second(&passes, false);
		/* The first frame goes out at once: it says what this file is. */
		(void)passes_flush(&passes, first);
		first = false;
		answer_flushes();
		publish_totals();
		if (passes.writer.over_limit)
			break;
		if (passes.taken != before)
			wait_ms = BUSY_WAIT_MS;
		else if (wait_ms < IDLE_WAIT_MS)
			wait_ms *= 2;
		if (passes.taken == before && is_alone()) {
			drain.alone = true;
			break;
		}
	}
}

static void close_session(bool by_itself)
{
	const char *reason = by_itself ? "size limit" : drain.reason;
	struct sink *sink = drain.options.sink;
	int code = passes_finish(&passes, reason);
	drain.complete = code == 0;
	drain.closing_sequence = passes.writer.sequence - (code == 0 ? 1 : 0);
	drain.closing_offset = passes.writer.closing_offset;
	publish_totals();
	sink_close(sink);
	/* What could not be written is still there for the reader of an unfinished trace. */
	if (code == 0)
		live_remove(drain.options.live);
	if (by_itself && drain.options.ended != NULL)
		drain.options.ended(reason);
}

static void *run(void *unused)
{
	(void)unused;
	__atomic_store_n(&drain.tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
	(void)prctl(PR_SET_NAME, "libtrace", 0, 0, 0);
	/* First of all: it also keeps the hooks off this thread. */
	if (passes.options->describe != NULL)
		passes.options->describe();
	work_until_stopped();
	if (drain.alone) {
		/* The program's exit handlers come next, and collector_stop() from one of them. */
		(void)pthread_sigmask(SIG_SETMASK, &drain.mask, NULL);
		return NULL;
	}
	close_session(!__atomic_load_n(&drain.stopping, __ATOMIC_SEQ_CST));
	__atomic_store_n(&drain.phase, DRAIN_ENDED, __ATOMIC_SEQ_CST);
	futex_wake(&drain.phase);
	return NULL;
}

static int make_thread(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	sigset_t all;
	int code = pthread_attr_init(&attributes);
	if (code != 0)
		return -code;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &drain.mask);
	code = pthread_create(&thread, &attributes, run, NULL);
	if (code == EINVAL) {
		/* Libraries with much thread-local storage need more stack than that. */
		(void)pthread_attr_setstacksize(&attributes, 8 * STACK_BYTES);
		code = pthread_create(&thread, &attributes, run, NULL);
	}
	(void)pthread_sigmask(SIG_SETMASK, &drain.mask, NULL);
	(void)pthread_attr_destroy(&attributes);
	return -code;
}

int drain_start(const struct drain_options *options)
{
	const struct collector_options *recording = options->options;
	struct writer_options writer = {.compression = recording->compression,
		.max_bytes = recording->max_bytes,
		.calls = recording->calls,
		.call_count = recording->call_count};
	drain.options = *options;
	drain.stopping = 0;
	drain.answered = drain.asked;
	drain.complete = false;
	passes.options = recording;
	passes.writer.sequence = options->sequence;
	int code = passes_init(&passes, &writer, options->live, options->sink, &options->first);
	if (code < 0)
		return code;
	__atomic_store_n(&drain.phase, DRAIN_RUNNING, __ATOMIC_SEQ_CST);
	code = make_thread();
	if (code < 0)
		__atomic_store_n(&drain.phase, DRAIN_NONE, __ATOMIC_SEQ_CST);
	return code;
}

/* Wait until *word is no longer value. 0 or -ETIMEDOUT. */
static int wait_change(uint32_t *word, uint32_t value, uint64_t until_ns)
{
	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) {
		uint64_t now = clock_monotonic_ns();
		if (now >= until_ns)
			return -ETIMEDOUT;
		futex_wait(word, value, until_ns - now);
	}
	return 0;
}

int drain_flush(unsigned timeout_ms)
{
	if (__atomic_load_n(&drain.phase, __ATOMIC_SEQ_CST) != DRAIN_RUNNING || drain_is_self())
		return -ENOENT;
	uint64_t until_ns = clock_monotonic_ns() + timeout_ms * 1000000ull;
	uint32_t mine = __atomic_add_fetch(&drain.asked, 1, __ATOMIC_SEQ_CST);
	drain_wake();
	for (;;) {
		uint32_t answered = __atomic_load_n(&drain.answered, __ATOMIC_SEQ_CST);
		if ((int32_t)(answered - mine) >= 0)
			return 0;
		int code = wait_change(&drain.answered, answered, until_ns);
		if (code < 0)
			return code;
	}
}

int drain_stop(const char *reason, unsigned timeout_ms, bool *ret_complete)
{
	bool is_self = drain_is_self();
	if (__atomic_load_n(&drain.phase, __ATOMIC_SEQ_CST) == DRAIN_NONE ||
		(is_self && !drain.alone))
		return -ENOENT;
	if (!__atomic_load_n(&drain.stopping, __ATOMIC_SEQ_CST)) {
		size_t length = strnlen(reason, sizeof(drain.reason) - 1);
		memcpy(drain.reason, reason, length);
		drain.reason[length] = '\0';
	}
	__atomic_store_n(&drain.stopping, 1, __ATOMIC_SEQ_CST);
	if (is_self) {
		close_session(false);
		__atomic_store_n(&drain.phase, DRAIN_ENDED, __ATOMIC_SEQ_CST);
	}
	drain_wake();
	int code = wait_change(
		&drain.phase, DRAIN_RUNNING, clock_monotonic_ns() + timeout_ms * 1000000ull);
	if (code == 0)
		*ret_complete = drain.complete;
	return code;
}

void drain_closing(uint64_t *ret_offset, uint32_t *ret_sequence)
{
	*ret_offset = drain.closing_offset;
	*ret_sequence = drain.closing_sequence;
}

void drain_totals(uint64_t *ret_events, uint64_t *ret_lost)
{
	*ret_events = __atomic_load_n(&drain.events, __ATOMIC_RELAXED);
	*ret_lost = __atomic_load_n(&drain.lost, __ATOMIC_RELAXED);
}

bool drain_is_self(void)
{
	pid_t tid = __atomic_load_n(&drain.tid, __ATOMIC_RELAXED);
	return tid != 0 && tid == (pid_t)syscall(SYS_gettid);
}

void drain_forget(void)
{
	memset(&drain, 0, sizeof(drain));
	writer_forget(&passes.writer);
	gpu_collect_forget(&passes.gpu);
	passes_forget_unowned();
}
