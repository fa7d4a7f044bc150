/* SPDX-License-Identifier: MIT */
#include "collector/drain/drain.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "collector/base/futex.h"
#include "collector/buffer/leftover.h"
#include "collector/buffer/request.h"
#include "collector/drain/turn.h"
#include "collector/gpu/gpu.h"
#include "collector/own/fault.h"
#include "collector/own/last.h"

#define FIRST_WAIT_MS 10u /* soon after its beginning a recording is there to be found */
#define BUSY_WAIT_MS  40u
#define IDLE_WAIT_MS  320u
#define STACK_BYTES   (1u << 20)

enum drain_phase {
	DRAIN_NONE,
	DRAIN_RUNNING,
	DRAIN_ENDED
};

static struct {
	struct drain_options options;
	uint32_t phase; /* enum drain_phase; a futex */
	char reason[24];
	bool complete;
	uint64_t closing_offset;
	uint32_t closing_sequence;
	bool alone; /* no thread of the program is left: exit() runs on the drain thread */
	struct last last;
	sigset_t mask; /* of the thread that started this one */
	uint64_t events, lost;
} drain;

static struct turn turn;

static void publish_totals(void)
{
	__atomic_store_n(&drain.events, turn.writer.events, __ATOMIC_RELAXED);
	__atomic_store_n(&drain.lost, turn.writer.lost, __ATOMIC_RELAXED);
}

/* What was recorded before the question is in the file after this. */
static void answer_flushes(void)
{
	uint32_t number;
	if (!request_flush_is_wanted(&number) || turn_everything(&turn) < 0)
		return;
	publish_totals();
	request_answer_flush(number);
}

/*
 * Until the next turn is due or somebody asks. Stacks are read meanwhile, and a turn that is due
 * about then is made to wait for them or comes with them: one waking for both.
 */
static void rest(unsigned wait_ms)
{
	uint64_t wait_ns = wait_ms * 1000000ull;
	uint64_t until_ns = turn_now(&turn) + wait_ns;
	for (;;) {
		uint64_t due_ns = stacks_due_ns(&turn.stacks);
		uint64_t now_ns = turn_now(&turn);
		bool with_stacks = due_ns < until_ns + wait_ns / 2;
		uint64_t end_ns = with_stacks ? due_ns : until_ns;
		uint64_t sleep_ns = end_ns > now_ns ? end_ns - now_ns : 0;
		turn_sleeps(&turn);
		bool asked = request_sleep(sleep_ns);
		turn_slept(&turn, sleep_ns);
		turn_stacks(&turn);
		if (asked || !with_stacks || end_ns + wait_ns / 2 > until_ns)
			return;
	}
}

static void work_until_stopped(void)
{
	unsigned wait_ms = FIRST_WAIT_MS;
	bool first = true;
	while (!request_stop_is_wanted()) {
		ring_allow();
		rest(wait_ms);
		uint64_t before = turn.taken;
		(void)turn_run(&turn);
		if (drain.options.options->looked != NULL)
			drain.options.options->looked();
		turn_second(&turn, false);
		/* The first frame goes out at once: it says what this file is. */
		(void)turn_flush(&turn, first);
		answer_flushes();
		if (first && drain.options.live->in_shm)
			(void)leftover_remove(LIVE_SHM_FOLDER, LEFTOVER_SECONDS, LEFTOVER_BYTES);
		first = false;
		publish_totals();
		if (turn.writer.over_limit || fault_has_taken())
			break;
		if (turn.taken != before)
			wait_ms = BUSY_WAIT_MS;
		else if (wait_ms < IDLE_WAIT_MS)
			wait_ms *= 2;
		if (turn.taken == before &&
			last_is_alone(&drain.last, turn_now(&turn), GPU_THREAD_NAME)) {
			drain.alone = true;
			break;
		}
	}
}

static void close_session(bool by_itself)
{
	const char *reason = drain.reason;
	if (by_itself)
		reason = fault_has_taken() ? "memory taken away" : "size limit";
	struct sink *sink = drain.options.sink;
	int code = turn_finish(&turn, reason);
	drain.complete = code == 0;
	drain.closing_sequence = turn.writer.sequence - (code == 0 ? 1 : 0);
	drain.closing_offset = turn.writer.closing_offset;
	publish_totals();
	sink_close(sink);
	/* What could not be written is still there for the reader of an unfinished trace. */
	if (code == 0)
		live_remove(drain.options.live);
	if (by_itself && drain.options.ended != NULL)
		drain.options.ended(reason);
}

static void set_phase(enum drain_phase phase)
{
	__atomic_store_n(&drain.phase, phase, __ATOMIC_SEQ_CST);
	futex_wake(&drain.phase);
}

static void end(bool by_itself)
{
	close_session(by_itself);
	request_close();
	set_phase(DRAIN_ENDED);
}

static void *run(void *unused)
{
	(void)unused;
	request_serve();
	(void)prctl(PR_SET_NAME, "libtrace", 0, 0, 0);
	/* First of all: it also keeps the hooks off this thread. */
	if (drain.options.options->describe != NULL)
		drain.options.options->describe();
	work_until_stopped();
	if (drain.alone) {
		/* The program's exit handlers come next, and collector_stop() from one of them. */
		(void)pthread_sigmask(SIG_SETMASK, &drain.mask, NULL);
		/* As libc does when the last thread returns: one of the device's may be left. */
		exit(0);
	}
	end(!request_stop_is_wanted());
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
	/* Pages of ours that are taken away. */
	if (drain.options.live->in_file)
		sigdelset(&all, SIGBUS);
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
	drain.options = *options;
	drain.complete = false;
	turn.writer.sequence = options->sequence;
	int code =
		turn_init(&turn, options->options, options->live, options->sink, &options->first);
	if (code < 0)
		return code;
	request_open();
	set_phase(DRAIN_RUNNING);
	code = make_thread();
	if (code < 0) {
		set_phase(DRAIN_NONE);
		request_close();
	}
	return code;
}

int drain_stop(const char *reason, unsigned timeout_ms, bool *ret_complete)
{
	bool is_self = request_is_drain();
	if (__atomic_load_n(&drain.phase, __ATOMIC_SEQ_CST) == DRAIN_NONE ||
		(is_self && !drain.alone))
		return -ENOENT;
	if (!request_stop_is_wanted()) {
		size_t length = strnlen(reason, sizeof(drain.reason) - 1);
		memcpy(drain.reason, reason, length);
		drain.reason[length] = '\0';
	}
	request_stop();
	if (is_self)
		end(false);
	int code = futex_wait_while(
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

void drain_forget(void)
{
	fault_forget();
	memset(&drain, 0, sizeof(drain));
	request_forget();
	turn_forget(&turn);
}
