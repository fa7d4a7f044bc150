/* SPDX-License-Identifier: MIT */
#include "collector/drain/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/drain/procstat.h"
#include "collector/drain/sample.h"
#include "collector/gpu/gpu.h"
#include "collector/own/descriptor.h"
#include "collector/own/fault.h"

#define SECOND_NS        1000000000ull
#define THREADS_NS       100000000ull /* between samples of threads */
#define THREADS_LATER_NS 500000000ull /* once there are THREADS_MANY: they are running totals */
#define THREADS_MANY     64u
#define NAMES_PER_SECOND 64u
#define NAME_READS       5u /* a thread is named soon after it began, if at all */
#define CLOSING_ROUNDS   64u

int turn_init(struct turn *turn, const struct collector_options *options, struct live *live,
	struct sink *sink, const struct clock_triple *first)
{
	struct writer_options writer = {.compression = options->compression,
		.max_bytes = options->max_bytes,
		.call_of = options->call_of,
		.call_count = options->call_count};
	slew_init(&turn->slew, first);
	tell_begin(&turn->tell, options, first);
	turn->options = options;
	turn->taken = turn->taken_at_second = turn->taken_at_threads = 0;
	turn->second_ns = turn->threads_ns = turn->threads_read = 0;
	/* Another drain thread is another thread in the trace. */
	turn->samples = (struct lane){0};
	gpu_collect_begin(&turn->gpu, options->may_pause);
	stacks_begin(&turn->stacks, options);
	still_begin(&turn->still, procstat_delay_ns);
	excerpt_begin(&turn->excerpt, options);
	return writer_init(&turn->writer, live, sink, &writer);
}

uint64_t turn_now(const struct turn *turn)
{
	return slew_ns(&turn->slew, clock_ticks());
}

static void adjust_clock(struct turn *turn)
{
	if (!slew_is_due(&turn->slew, clock_ticks()))
		return;
	struct clock_triple now;
	clock_read_triple(&now);
	(void)slew_update(&turn->slew, &now);
}

/* Losses that the ring has counted since it was asked last. */
static void take_ring_losses(struct turn *turn, struct ring *ring)
{
	uint64_t lost = __atomic_load_n(&ring->shared->lost, __ATOMIC_ACQUIRE);
	if (lost == ring->lost_told)
		return;
	uint64_t first_ns = slew_ns(
		&turn->slew, __atomic_load_n(&ring->shared->lost_first_ticks, __ATOMIC_RELAXED));
	uint64_t last_ns = slew_ns(
		&turn->slew, __atomic_load_n(&ring->shared->lost_last_ticks, __ATOMIC_RELAXED));
	/* The owner may not have noticed that the earlier ones are taken. */
	if (first_ns < ring->lost_last_ns)
		first_ns = ring->lost_last_ns;
	ring_gap_add(&ring->gaps[LOSS_RING_FULL], lost - ring->lost_told, first_ns, last_ns);
	ring->lost_last_ns = last_ns;
	ring->lost_told = lost;
}

static void take_unowned_losses(struct turn *turn)
{
	uint64_t first = 0, last = 0, count = unowned_take(&first, &last);
	ring_gap_add(&turn->writer.unowned[LOSS_NO_MEMORY], count, slew_ns(&turn->slew, first),
		slew_ns(&turn->slew, last));
}

/* count records from number first, with times in ns, in scratch. */
static void copy_block(struct turn *turn, struct ring *ring, uint64_t first, unsigned count)
{
	uint64_t mask = ring->capacity - 1;
	for (unsigned i = 0; i < count; i++) {
		struct record *record = &turn->scratch[i];
		*record = ring->records[(first + i) & mask];
		record->begin = slew_ns(&turn->slew, record->begin);
		record->end = slew_ns(&turn->slew, record->end);
		ring->feeds |= record->kind == RECORD_LAUNCH || record->kind == RECORD_COPY ||
			       record->kind == RECORD_GRAPH || record->kind == RECORD_INPUT;
	}
}

/* Take over what the ring holds now; records taken. */
static uint64_t drain_ring(struct turn *turn, unsigned index, uint64_t now_ns)
{
	struct ring *ring = ring_at(index);
	uint64_t first;
	uint64_t waiting = ring_waiting(ring, &first);
	uint64_t until = first + waiting;
	if (waiting > 0)
		ring->active_ns = now_ns;
	while (first < until) {
		unsigned count = until - first < CODEC_BLOCK_LIMIT ? (unsigned)(until - first)
								   : CODEC_BLOCK_LIMIT;
		copy_block(turn, ring, first, count);
		int code = writer_events(&turn->writer, index, first, turn->scratch, count, now_ns);
		unsigned taken = code > 0 ? (unsigned)code : 0;
		if (taken < count)
			writer_count_refused(ring->gaps, &turn->scratch[taken], count - taken,
				code < 0 ? code : -EAGAIN);
		writer_publish(&turn->writer);
		first += count;
		ring_release(ring, first);
	}
	return waiting;
}

/* A ring that has an owner; NULL: nothing to do. Notices a change of owner. */
static struct ring *owned_ring(struct turn *turn, unsigned index)
{
	struct ring *ring = ring_at(index);
	struct live_ring *shared = __atomic_load_n(&ring->shared, __ATOMIC_ACQUIRE);
	if (shared == NULL)
		return NULL;
	uint32_t thread = __atomic_load_n(&shared->thread, __ATOMIC_ACQUIRE);
	if (thread == 0)
		return NULL;
	if (thread != ring->thread) {
		writer_disown(&turn->writer, ring);
		ring->thread = thread;
		ring->feeds = false;
		ring->cpu_at_ns = 0;
		ring->name_age = 0;
		announce_forget_thread(&turn->writer.announce, index);
	}
	return ring;
}

/* The first event began before the collector did. */
static void find_beginning(struct turn *turn)
{
	for (unsigned i = 0; i < ring_count(); i++) {
		struct ring *ring = owned_ring(turn, i);
		uint64_t first;
		if (ring == NULL || ring_waiting(ring, &first) == 0)
			continue;
		uint64_t mask = ring->capacity - 1;
		uint64_t begin = slew_ns(&turn->slew, ring->records[first & mask].begin);
		if (begin < turn->tell.begin_ns)
			turn->tell.begin_ns = begin;
	}
}

static void write_mark(struct turn *turn, const struct record *mark)
{
	lane_write(&turn->samples, &turn->writer, "libtrace", (uint32_t)syscall(SYS_gettid), mark,
		1, turn_now(turn));
}

/* When the program did something, as seen from a stop: before it, or after it. */
struct stop {
	uint64_t before_ns, after_ns; /* it did not begin later, nor end earlier */
	struct record mark;
};

static void see_sign(struct stop *stop, uint64_t ns)
{
	if (ns > stop->mark.begin && ns <= stop->before_ns)
		stop->mark.begin = ns;
	if (ns < stop->mark.end && ns > stop->after_ns)
		stop->mark.end = ns;
}

/*
 * It was shorter than what the drain thread saw of it, which is not always the first one to go on,
 * and which had been asleep while others still worked.
 */
static void narrow(struct turn *turn, struct stop *stop)
{
	for (unsigned i = 0; i < ring_count(); i++) {
		struct ring *ring = owned_ring(turn, i);
		uint64_t at = 0, waiting = ring != NULL ? ring_waiting(ring, &at) : 0;
		for (; waiting > 0; waiting--, at++) {
			const struct record *record = &ring->records[at & (ring->capacity - 1)];
			see_sign(stop, slew_ns(&turn->slew, record->begin));
			see_sign(stop, slew_ns(&turn->slew, record->end));
		}
	}
}

/* What was to last for wait_ns is over. */
static void look_for_stop(struct turn *turn, uint64_t wait_ns)
{
	struct stop stop;
	if (!still_look(&turn->still, turn_now(turn), wait_ns, &stop.mark))
		return;
	stop.before_ns = stop.mark.begin + wait_ns + STILL_LATE_NS / 2;
	stop.after_ns = stop.mark.begin + wait_ns + STILL_LATE_NS;
	narrow(turn, &stop);
	write_mark(turn, &stop.mark);
}

void turn_sleeps(struct turn *turn)
{
	if (turn->writer.sequence != turn->frame_before)
		still_ignore(&turn->still);
	look_for_stop(turn, 0);
	still_watch(&turn->still, turn_now(turn));
}

void turn_slept(struct turn *turn, uint64_t wait_ns)
{
	adjust_clock(turn);
	look_for_stop(turn, wait_ns);
	still_watch(&turn->still, turn_now(turn));
	turn->frame_before = turn->writer.sequence;
}

static void tell_pauses(struct turn *turn, bool closing)
{
	struct record mark;
	while (still_next(&turn->still, turn_now(turn), closing, &mark))
		write_mark(turn, &mark);
}

uint64_t turn_run(struct turn *turn)
{
	uint64_t total = 0;
	adjust_clock(turn);
	uint64_t now_ns = turn_now(turn);
	if (!turn->tell.described)
		find_beginning(turn);
	tell_states(&turn->tell, &turn->writer, now_ns);
	for (unsigned i = 0; i < ring_count(); i++) {
		struct ring *ring = owned_ring(turn, i);
		if (ring == NULL)
			continue;
		if (ring_is_next(ring))
			total += drain_ring(turn, i, now_ns);
		take_ring_losses(turn, ring);
		(void)ring_sweep_at(i);
	}
	take_unowned_losses(turn);
	total += gpu_collect_run(&turn->gpu, &turn->writer, now_ns);
	tell_pauses(turn, false);
	turn->taken += total;
	if (total > 0)
		live_set_scale(turn->writer.live, slew_current(&turn->slew));
	(void)ring_sweep(ring_sweep_wanted());
	writer_publish(&turn->writer);
	return total;
}

void turn_stacks(struct turn *turn)
{
	adjust_clock(turn);
	stacks_take(&turn->stacks, &turn->samples, &turn->writer, &turn->slew, turn_now(turn));
}

/* Threads get their names after they began: read them again a few times. */
static void refresh_name(struct turn *turn, unsigned index)
{
	struct ring *ring = ring_at(index);
	char path[64], name[sizeof(ring->shared->name) + 1] = "";
	(void)snprintf(path, sizeof(path), "/proc/self/task/%u/comm", ring->shared->tid);
	int fd = descriptor_open(path, O_RDONLY, 0);
	if (fd < 0)
		return;
	ssize_t got = descriptor_read(fd, name, sizeof(name) - 1);
	descriptor_close(fd);
	name[got > 0 ? strcspn(name, "\n") : 0] = '\0';
	/* What it is called while it makes a thread for us is none of its own. */
	if (got <= 0 || strcmp(name, GPU_THREAD_NAME) == 0 ||
		strncmp(name, ring->shared->name, sizeof(ring->shared->name)) == 0)
		return;
	memcpy(ring->shared->name, name, sizeof(ring->shared->name));
	announce_forget_thread(&turn->writer.announce, index);
}

static void refresh_names(struct turn *turn)
{
	unsigned left = NAMES_PER_SECOND;
	for (unsigned i = 0; i < ring_count() && left > 0; i++) {
		struct ring *ring = owned_ring(turn, i);
		if (ring == NULL || ring->name_age >= NAME_READS)
			continue;
		ring->name_age++;
		left--;
		refresh_name(turn, i);
	}
}

static void read_threads(struct turn *turn, uint64_t now_ns, bool forced)
{
	uint64_t pause_ns = turn->threads_read < THREADS_MANY ? THREADS_NS : THREADS_LATER_NS;
	if (turn->options->without_samples ||
		(!forced && (turn->taken == turn->taken_at_threads ||
				    now_ns < turn->threads_ns + pause_ns)))
		return;
	turn->taken_at_threads = turn->taken;
	turn->threads_ns = now_ns;
	if (sample_threads(&turn->samples, &turn->writer, &turn->slew, now_ns) > 0)
		turn->threads_read++;
}

void turn_second(struct turn *turn, bool forced)
{
	uint64_t now_ns = turn_now(turn);
	read_threads(turn, now_ns, forced);
	if (!forced &&
		(turn->taken == turn->taken_at_second || now_ns < turn->second_ns + SECOND_NS))
		return;
	turn->taken_at_second = turn->taken;
	turn->second_ns = now_ns;
	still_ignore(&turn->still);
	refresh_names(turn);
	if (turn->options->tick != NULL)
		turn->options->tick(now_ns);
	stacks_write(&turn->stacks, &turn->samples, &turn->writer, now_ns);
	if (!turn->options->without_samples)
		sample_write(&turn->samples, &turn->writer, &turn->slew, now_ns);
	tell_clock(&turn->writer, &turn->slew, now_ns);
	tell_counters(&turn->tell, &turn->writer, now_ns);
	gpu_collect_second(&turn->gpu, &turn->writer, now_ns);
	excerpt_write(&turn->excerpt, &turn->writer, now_ns, forced);
	writer_tell_losses(&turn->writer, now_ns);
	writer_publish(&turn->writer);
}

int turn_everything(struct turn *turn)
{
	(void)turn_run(turn);
	stacks_write(&turn->stacks, &turn->samples, &turn->writer, turn_now(turn));
	writer_tell_losses(&turn->writer, turn_now(turn));
	return turn_flush(turn, true);
}

int turn_flush(struct turn *turn, bool forced)
{
	uint64_t now_ns = turn_now(turn);
	const struct writer *writer = &turn->writer;
	if (writer->frame_begin_ns == 0 || (!forced && now_ns < writer->frame_begin_ns + SECOND_NS))
		return 0;
	return writer_flush(&turn->writer, now_ns);
}

/* Once more in the closing frame, so that it is there when the first one is damaged. */
static void tell_closing(struct writer *writer, uint64_t now_ns)
{
	struct turn *turn = (struct turn *)(void *)((char *)writer - offsetof(struct turn, writer));
	tell_again(&turn->tell);
	gpu_collect_say_again(&turn->gpu);
	tell_states(&turn->tell, writer, now_ns);
	tell_clock(writer, &turn->slew, now_ns);
	tell_counters(&turn->tell, writer, now_ns);
	gpu_collect_say(&turn->gpu, writer, now_ns);
}

/* As far as it is known: some may have been recorded since their threads looked last. */
static void lose_rings(uint64_t now_ns)
{
	for (unsigned i = 0; i < ring_count(); i++) {
		struct ring *ring = ring_at(i);
		uint64_t published = __atomic_load_n(&ring->published, __ATOMIC_RELAXED);
		if (ring->shared != NULL && published > ring->taken)
			ring_gap_add(&ring->gaps[LOSS_NO_MEMORY], published - ring->taken,
				ring->active_ns, now_ns);
	}
}

int turn_finish(struct turn *turn, const char *reason)
{
	if (fault_has_taken()) {
		fault_settle();
		lose_rings(turn_now(turn));
		return writer_finish(&turn->writer, reason, turn_now(turn), tell_closing);
	}
	(void)turn_run(turn);
	turn_second(turn, true);
	/* Threads that go on recording must not keep us for ever. */
	for (unsigned i = 0; i < CLOSING_ROUNDS; i++)
		if (turn_run(turn) == 0)
			break;
	tell_pauses(turn, true);
	return writer_finish(&turn->writer, reason, turn_now(turn), tell_closing);
}

void turn_forget(struct turn *turn)
{
	writer_forget(&turn->writer);
	gpu_collect_forget(&turn->gpu);
	turn->still = (struct still){0};
	turn->samples = (struct lane){0};
}
