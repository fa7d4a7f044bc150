/* SPDX-License-Identifier: MIT */
#include "collector/collector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/base/futex.h"
#include "collector/base/log.h"
#include "collector/buffer/pause.h"
#include "collector/buffer/request.h"
#include "collector/buffer/ring.h"
#include "collector/buffer/state.h"
#include "collector/drain/process.h"
#include "collector/drain/session.h"

#define START_WAIT_NS  100000000ull
#define STOP_WAIT_MS   2000u
#define RING_BYTES_MAX (256u << 20)

enum phase {
	PHASE_OFF,      /* not configured */
	PHASE_READY,    /* the next event starts a session */
	PHASE_STARTING, /* some thread is at it */
	PHASE_RUNNING,
	PHASE_STOPPING,
	PHASE_STOPPED,
	PHASE_FAILED, /* never again in this process */
};

int collector_enabled;
__thread struct collector_thread collector_thread LINKAGE_TLS;

static struct {
	struct collector_options options;
	char out_dir[PATH_MAX];
	char role[32];
	uint32_t phase; /* enum phase; a futex */
	int wanted;     /* what collector_enable() said last */
	pid_t pid;
	struct clock_triple first;
} collector;

/*
 * Where a forked child's thread points until it has a ring of its own: full, so the next
 * event comes to collector_reserve_slow(); and harmless when fork() was called between reserve
 * and commit.
 */
static struct live_ring orphan_ring;
static struct record orphan_record;

static enum phase phase_now(void)
{
	return (enum phase)__atomic_load_n(&collector.phase, __ATOMIC_SEQ_CST);
}

static void set_phase(enum phase phase)
{
	__atomic_store_n(&collector.phase, phase, __ATOMIC_SEQ_CST);
	futex_wake(&collector.phase);
}

static bool change_phase(enum phase from, enum phase to)
{
	uint32_t expected = from;
	return __atomic_compare_exchange_n(
		&collector.phase, &expected, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Wait until the phase is another one, but not long. */
static void wait_while(enum phase phase, uint64_t timeout_ns)
{
	(void)futex_wait_while(&collector.phase, phase, clock_monotonic_ns() + timeout_ns);
}

static void set_enabled(int on)
{
	__atomic_store_n(&collector_enabled, on, __ATOMIC_RELAXED);
}

int collector_configure(const struct collector_options *options)
{
	if (options->out_dir == NULL || phase_now() != PHASE_OFF)
		return -EINVAL;
	int code = process_absolute(options->out_dir, collector.out_dir, sizeof(collector.out_dir));
	if (code < 0)
		return code;
	clock_init(options->force_monotonic);
	clock_read_triple(&collector.first);
	collector.options = *options;
	(void)snprintf(collector.role, sizeof(collector.role), "%s",
		options->role != NULL ? options->role : "main");
	collector.options.out_dir = collector.out_dir;
	collector.options.role = collector.role;
	if (collector.options.ring_bytes > RING_BYTES_MAX)
		collector.options.ring_bytes = RING_BYTES_MAX;
	log_level = options->log_level;
	collector.pid = getpid();
	set_phase(PHASE_READY);
	return 0;
}

void collector_enable(bool on)
{
	__atomic_store_n(&collector.wanted, on, __ATOMIC_RELAXED);
	pause_note(!on);
	enum phase phase = phase_now();
	set_enabled(on && phase != PHASE_OFF && phase != PHASE_FAILED && phase != PHASE_STOPPED);
}

/* The drain thread ended the session by itself; nothing is recorded any more. */
static void session_ended(const char *reason)
{
	set_enabled(0);
	log_error("recording has stopped: %s", reason);
	(void)change_phase(PHASE_RUNNING, PHASE_STOPPED);
}

static void start(void)
{
	int code = session_begin(&collector.options, &collector.first, session_ended);
	if (code < 0) {
		set_enabled(0);
		set_phase(PHASE_FAILED);
		return;
	}
	/* The drain thread may have ended already, but then there is no event yet. */
	set_phase(PHASE_RUNNING);
}

static bool take_ring(void)
{
	struct ring *ring = ring_take(session_live(), collector.options.ring_bytes);
	if (ring == NULL) {
		ring_count_unowned(clock_ticks());
		return false;
	}
	struct collector_thread *self = &collector_thread;
	self->records = ring->records;
	self->mask = ring->shared->capacity - 1;
	self->head = ring->shared->head;
	self->seen_tail = self->head;
	self->ring = ring->shared;
	self->whole = ring;
	self->watched = NULL;
	return true;
}

bool collector_is_running(void)
{
	return phase_now() == PHASE_RUNNING;
}

bool collector_attach(void)
{
	if (!__atomic_load_n(&collector_enabled, __ATOMIC_RELAXED))
		return false;
	int saved = errno;
	bool attached = false;
	if (change_phase(PHASE_READY, PHASE_STARTING))
		start();
	else if (phase_now() == PHASE_STARTING)
		wait_while(PHASE_STARTING, START_WAIT_NS);
	switch (phase_now()) {
	case PHASE_RUNNING:
		attached = take_ring();
		break;
	case PHASE_STARTING:
		ring_count_unowned(clock_ticks());
		break;
	default:
		break;
	}
	if (attached && collector.options.thread_begins != NULL)
		collector.options.thread_begins();
	errno = saved;
	return attached;
}

struct record *collector_reserve_slow(void)
{
	struct collector_thread *self = &collector_thread;
	if (self->ring == &orphan_ring) {
		if (!collector_attach())
			return NULL;
		return &self->records[self->head & self->mask];
	}
	self->seen_tail = __atomic_load_n(&self->ring->tail, __ATOMIC_ACQUIRE);
	if (self->head - self->seen_tail <= self->mask)
		return &self->records[self->head & self->mask];
	enum phase phase = phase_now();
	if (!__atomic_load_n(&collector_enabled, __ATOMIC_RELAXED) ||
		(phase != PHASE_RUNNING && phase != PHASE_STARTING))
		return NULL;
	request_wake();
	ring_count_loss(self->ring, clock_ticks());
	return NULL;
}

void collector_wake(void)
{
	request_wake();
}

void collector_watch(const void *subject, uint64_t mark)
{
	struct collector_thread *self = &collector_thread;
	if (self->whole == NULL)
		return;
	ring_watch(self->whole, subject, mark);
	self->watched = subject;
}

/* After vfork() a child runs in our memory: nothing here is its business. */
static bool is_own_process(void)
{
	return collector.pid == getpid();
}

void collector_stop(const char *reason)
{
	if (phase_now() == PHASE_OFF || !is_own_process())
		return;
	int saved = errno;
	/* An event in a destructor after this must not begin a recording. */
	(void)change_phase(PHASE_READY, PHASE_STOPPED);
	if (phase_now() == PHASE_STARTING)
		wait_while(PHASE_STARTING, START_WAIT_NS);
	if (change_phase(PHASE_RUNNING, PHASE_STOPPING)) {
		(void)session_end(reason, STOP_WAIT_MS);
		set_phase(PHASE_STOPPED);
	} else if (phase_now() == PHASE_STOPPING && !request_is_drain()) {
		wait_while(PHASE_STOPPING, STOP_WAIT_MS * 1000000ull);
	}
	set_enabled(0);
	errno = saved;
}

void collector_resume(void)
{
	struct session_totals totals;
	if (!is_own_process() || !change_phase(PHASE_STOPPED, PHASE_STARTING))
		return;
	int saved = errno;
	session_totals(&totals);
	if (totals.path == NULL)
		set_phase(PHASE_READY);
	else if (session_resume(&collector.options, &collector.first, session_ended) == 0)
		set_phase(PHASE_RUNNING);
	else
		set_phase(PHASE_FAILED);
	collector_enable(__atomic_load_n(&collector.wanted, __ATOMIC_RELAXED) != 0);
	errno = saved;
}

void collector_after_fork(void)
{
	if (phase_now() == PHASE_OFF)
		return;
	int saved = errno;
	collector.pid = getpid();
	session_forget();
	state_forget_counters();
	if (strcmp(collector.role, "main") == 0)
		memcpy(collector.role, "child", sizeof("child"));
	collector_thread = (struct collector_thread){
		.ring = &orphan_ring, .records = &orphan_record, .head = 1};
	if (phase_now() != PHASE_FAILED)
		set_phase(PHASE_READY);
	collector_enable(__atomic_load_n(&collector.wanted, __ATOMIC_RELAXED) != 0);
	errno = saved;
}

void collector_get_totals(struct collector_totals *ret_totals)
{
	*ret_totals = (struct collector_totals){0};
	if (phase_now() == PHASE_OFF)
		return;
	struct session_totals totals;
	session_totals(&totals);
	*ret_totals = (struct collector_totals){.events = totals.events,
		.lost = totals.lost,
		.bytes = totals.bytes,
		.path = totals.path,
		.out_dir = collector.out_dir};
}
