/* SPDX-License-Identifier: MIT */
#include "collector/collector.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "collector/base/futex.h"
#include "collector/base/log.h"
#include "collector/base/small.h"
#include "collector/buffer/pause.h"
#include "collector/buffer/request.h"
#include "collector/buffer/ring.h"
#include "collector/buffer/state.h"
#include "collector/drain/process.h"
#include "collector/drain/session.h"

#define START_WAIT_NS  100000000ull
#define STOP_WAIT_MS   2000u
#define RING_BYTES_MAX (256u << 20)
#define CLOCK_SET_NS   1000000000ull

enum phase {
	PHASE_OFF,      /* not configured */
	PHASE_READY,    /* the next event starts a session */
	PHASE_STARTING, /* some thread is at it */
	PHASE_RUNNING,
	PHASE_STOPPING,
	PHASE_STOPPED,
	PHASE_FAILED, /* never again in this process */
};

static struct {
	struct collector_options options;
	char role[32];
	uint32_t phase; /* enum phase; a futex */
	int wanted;     /* what collector_enable() said last */
	pid_t pid;
	struct clock_triple first;
} collector SMALL;

static char out_dir[PATH_MAX]; /* of a path that was relative */

/*
 * Where a forked child's thread points until it has a ring of its own: no slot is free, so the next
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
	const char *folder = options->out_dir;
	if (folder[0] != '/') {
		int code = process_absolute(folder, out_dir, sizeof(out_dir));
		if (code < 0)
			return code;
		folder = out_dir;
	}
	clock_init(options->force_monotonic);
	clock_read_triple(&collector.first);
	collector.options = *options;
	const char *role = options->role != NULL ? options->role : "main";
	memcpy(collector.role, role, strnlen(role, sizeof(collector.role) - 1));
	collector.options.out_dir = folder;
	collector.options.role = collector.role;
	if (collector.options.ring_bytes > RING_BYTES_MAX)
		collector.options.ring_bytes = RING_BYTES_MAX;
	log_level = options->log_level;
	collector.pid = getpid();
	wiped_begin();
	__atomic_store_n(&collector.phase, PHASE_READY, __ATOMIC_SEQ_CST); /* nobody waits yet */
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

bool collector_helps(void)
{
	return collector.options.helps || family_parent_records();
}

static void start(void)
{
	collector.options.helps = collector_helps();
	int code = session_begin(&collector.options, &collector.first, session_ended);
	if (code < 0) {
		set_enabled(0);
		set_phase(PHASE_FAILED);
		return;
	}
	/* The drain thread may have ended already, but then there is no event yet. */
	set_phase(PHASE_RUNNING);
	family_begin(); /* who is forked later sees the phase, who was before that the word */
}

static void use_ring(struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->shared->head, __ATOMIC_RELAXED);
	struct record *next = &ring->records[head & (ring->capacity - 1)];
	collector_thread = (struct own_collector){.ring = ring->shared,
		.slot = next,
		.stop = next,
		.mask = ring->capacity - 1,
		.whole = ring,
		.watched = collector_thread.watched};
	__atomic_store_n(&ring->looked_at, head, __ATOMIC_RELAXED);
}

static bool take_ring(void)
{
	struct ring *ring = ring_take(session_live(), collector.options.ring_bytes);
	if (ring == NULL) {
		unowned_count(clock_ticks());
		return false;
	}
	collector_thread.watched = NULL;
	use_ring(ring);
	return true;
}

/* The ring is full: go on in a larger one. */
static bool grow_ring(void)
{
	struct ring *larger =
		ring_grow(session_live(), collector_thread.whole, collector.options.ring_bytes);
	if (larger != NULL)
		use_ring(larger);
	return larger != NULL;
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
		unowned_count(clock_ticks());
		break;
	default:
		break;
	}
	if (attached && collector.options.thread_begins != NULL)
		collector.options.thread_begins();
	errno = saved;
	return attached;
}

/*
 * From the next slot on as many as are free, up to where there is something to do: at a half of the
 * ring, or before that for a sample. False: none is free.
 */
static bool go_on(struct own_collector *self, uint64_t mixed)
{
	uint64_t capacity = self->mask + 1, half = capacity / 2, head = collector_published();
	uint64_t used = head - __atomic_load_n(&self->ring->tail, __ATOMIC_ACQUIRE);
	uint64_t room = cost_next(mixed);
	/* What this thread read of its records is done: they may be another's next. */
	__atomic_store_n(&self->whole->published, head, __ATOMIC_RELEASE);
	if (used >= capacity)
		return false;
	if (room > half - (head & (half - 1)))
		room = half - (head & (half - 1));
	if (room > capacity - used)
		room = capacity - used;
	self->slot = &self->whole->records[head & self->mask];
	self->stop = self->slot + room;
	return true;
}

struct record *collector_reserve_slow(void)
{
	struct own_collector *self = &collector_thread;
	if ((self->ring == NULL || self->ring == &orphan_ring) && !collector_attach())
		return NULL;
	if (go_on(self, collector_published()))
		return self->slot;
	enum phase phase = phase_now();
	if (!__atomic_load_n(&collector_enabled, __ATOMIC_RELAXED) ||
		(phase != PHASE_RUNNING && phase != PHASE_STARTING))
		return NULL;
	request_wake();
	if (phase == PHASE_RUNNING && grow_ring() && go_on(self, collector_published()))
		return self->slot;
	ring_count_loss(self->ring, clock_ticks());
	return NULL;
}

void collector_look(void)
{
	struct own_collector *self = &collector_thread;
	const struct record *last = self->slot - 1;
	uint64_t now = clock_ticks(), head = collector_published();
	if ((head & self->mask >> 1) == 0)
		request_wake();
	/* what calls tell of has just ended; other records are made of what was before */
	if (last->kind <= RECORD_OP && now >= last->end) {
		uint64_t *looked_at = &self->whole->looked_at;
		cost_note(&self->whole->cost, now - last->end,
			head - __atomic_load_n(looked_at, __ATOMIC_RELAXED));
		__atomic_store_n(looked_at, head, __ATOMIC_RELAXED);
	}
	(void)go_on(self, now);
}

uint64_t collector_took(uint64_t ticks, uint64_t events)
{
	if (collector_thread.whole != NULL)
		cost_note(&collector_thread.whole->cost, ticks, events);
	return cost_next(ticks);
}

void collector_watch(const void *subject, uint64_t mark)
{
	struct own_collector *self = &collector_thread;
	if (self->whole == NULL)
		return;
	ring_watch(self->whole, subject, mark);
	self->watched = subject;
}

const struct record *collector_recorded(unsigned back)
{
	const struct own_collector *self = &collector_thread;
	uint64_t head = collector_published();
	if (self->whole == NULL || back > head - self->whole->first || back > self->mask)
		return NULL;
	return &self->whole->records[(head - back) & self->mask];
}

uint64_t collector_cost(void)
{
	return collector_thread.whole != NULL ? cost_ticks(&collector_thread.whole->cost) : 0;
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

/* Since the wall clock and the other one were read first: how much one of them was set by. */
static uint64_t clock_was_set_by(const struct clock_triple *now)
{
	const struct clock_triple *first = &collector.first;
	int64_t set_ns = (int64_t)((now->realtime_ns - first->realtime_ns) -
				   (now->monotonic_ns - first->monotonic_ns));
	return set_ns < 0 ? -(uint64_t)set_ns : (uint64_t)set_ns;
}

/* A child may have another clock, in a namespace of times: its parent's first look is no use. */
static void look_at_clock(void)
{
	struct clock_triple now;
	clock_read_triple(&now);
	if (clock_was_set_by(&now) > CLOCK_SET_NS)
		collector.first = now;
}

void collector_before_fork(void)
{
	if (phase_now() == PHASE_READY || phase_now() == PHASE_STARTING)
		family_before_fork();
}

void collector_after_fork(void)
{
	if (phase_now() == PHASE_OFF)
		return;
	int saved = errno;
	collector.pid = getpid();
	look_at_clock();
	wiped.own = 1;
	collector.options.helps |= phase_now() == PHASE_RUNNING;
	family_after_fork();
	session_forget();
	pause_forget();
	state_forget();
	if (strcmp(collector.role, "main") == 0)
		memcpy(collector.role, "child", sizeof("child"));
	collector_thread = (struct own_collector){
		.ring = &orphan_ring, .slot = &orphan_record, .stop = &orphan_record};
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
		.gone = totals.gone,
		.out_dir = collector.options.out_dir};
}
