/* SPDX-License-Identifier: MIT */
#include "collector/drain/passes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/drain/process.h"
#include "collector/drain/procstat.h"

#define SECOND_NS        1000000000ull
#define NAMES_PER_SECOND 64u
#define NAME_READS       5u /* a thread is named soon after it began, if at all */
#define CLOSING_ROUNDS   64u

/* Events that found no ring; written by any thread. */
static struct {
	uint64_t count, first_ticks, last_ticks;
} unowned;

void passes_count_unowned(uint64_t ticks)
{
	uint64_t zero = 0;
	(void)__atomic_compare_exchange_n(
		&unowned.first_ticks, &zero, ticks, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__atomic_store_n(&unowned.last_ticks, ticks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&unowned.count, 1, __ATOMIC_RELEASE);
}

void passes_forget_unowned(void)
{
	memset(&unowned, 0, sizeof(unowned));
}

int passes_init(struct passes *passes, const struct writer_options *options, struct live *live,
	struct sink *sink, const struct clock_triple *first)
{
	slew_init(&passes->slew, first);
	passes->begin_ns = first->monotonic_ns;
	passes->begin_realtime_ns = first->realtime_ns;
	passes->taken = 0;
	passes->taken_at_second = 0;
	passes->second_ns = 0;
	passes->described = false;
	passes->own_ring = NULL;
	memset(passes->told, 0, sizeof(passes->told));
	memset(passes->counters_told, 0, sizeof(passes->counters_told));
	gpu_collect_say_again(&passes->gpu);
	return writer_init(&passes->writer, live, sink, options);
}

uint64_t passes_now_ns(const struct passes *passes)
{
	return slew_ns(&passes->slew, clock_ticks());
}

static void adjust_clock(struct passes *passes)
{
	if (!slew_is_due(&passes->slew, clock_ticks()))
		return;
	struct clock_triple now;
	clock_read_triple(&now);
	(void)slew_update(&passes->slew, &now);
}

/* Losses that the ring has counted since it was asked last. */
static void take_ring_losses(struct passes *passes, struct ring *ring)
{
	uint64_t lost = __atomic_load_n(&ring->shared->lost, __ATOMIC_ACQUIRE);
	if (lost == ring->lost_told)
		return;
	uint64_t first_ns = slew_ns(
		&passes->slew, __atomic_load_n(&ring->shared->lost_first_ticks, __ATOMIC_RELAXED));
	uint64_t last_ns = slew_ns(
		&passes->slew, __atomic_load_n(&ring->shared->lost_last_ticks, __ATOMIC_RELAXED));
	/* The owner may not have noticed that the earlier ones are taken. */
	if (first_ns < ring->lost_last_ns)
		first_ns = ring->lost_last_ns;
	ring_gap_add(&ring->gaps[LOSS_RING_FULL], lost - ring->lost_told, first_ns, last_ns);
	ring->lost_last_ns = last_ns;
	ring->lost_told = lost;
}

static void take_unowned_losses(struct passes *passes)
{
	uint64_t count = __atomic_exchange_n(&unowned.count, 0, __ATOMIC_ACQUIRE);
	if (count == 0)
		return;
	uint64_t first = __atomic_exchange_n(&unowned.first_ticks, 0, __ATOMIC_RELAXED);
	uint64_t last = __atomic_load_n(&unowned.last_ticks, __ATOMIC_RELAXED);
	ring_gap_add(&passes->writer.unowned[LOSS_NO_MEMORY], count,
		slew_ns(&passes->slew, first != 0 ? first : last), slew_ns(&passes->slew, last));
}

/* count records from number first, with times in ns, in scratch. */
static void copy_block(
	struct passes *passes, const struct ring *ring, uint64_t first, unsigned count)
{
	uint64_t mask = ring->shared->capacity - 1;
	for (unsigned i = 0; i < count; i++) {
		struct record *record = &passes->scratch[i];
		*record = ring->records[(first + i) & mask];
		record->begin = slew_ns(&passes->slew, record->begin);
		record->end = slew_ns(&passes->slew, record->end);
	}
}

/* Take over what the ring holds now; records taken. */
static uint64_t drain_ring(struct passes *passes, unsigned index, uint64_t now_ns)
{
	struct ring *ring = ring_at(index);
	uint64_t first;
	uint64_t waiting = ring_waiting(ring, &first);
	uint64_t until = first + waiting;
	while (first < until) {
		unsigned count = until - first < CODEC_BLOCK_LIMIT ? (unsigned)(until - first)
								   : CODEC_BLOCK_LIMIT;
		copy_block(passes, ring, first, count);
		int code = writer_events(
			&passes->writer, index, first, passes->scratch, count, now_ns);
		unsigned taken = code > 0 ? (unsigned)code : 0;
		if (taken < count)
			writer_count_refused(ring->gaps, &passes->scratch[taken], count - taken,
				code < 0 ? code : -EAGAIN);
		writer_publish(&passes->writer);
		first += count;
		ring_release(ring, first);
	}
	return waiting;
}

/* A ring that has an owner; NULL: nothing to do. Notices a change of owner. */
static struct ring *owned_ring(struct passes *passes, unsigned index)
{
	struct ring *ring = ring_at(index);
	struct live_ring *shared = __atomic_load_n(&ring->shared, __ATOMIC_ACQUIRE);
	if (shared == NULL)
		return NULL;
	uint32_t thread = __atomic_load_n(&shared->thread, __ATOMIC_ACQUIRE);
	if (thread == 0)
		return NULL;
	if (thread != ring->thread) {
		writer_disown(&passes->writer, ring);
		ring->thread = thread;
		ring->name_age = 0;
		announce_forget_thread(&passes->writer.announce, index);
	}
	return ring;
}

/* The first event began before the collector did. */
static void find_beginning(struct passes *passes)
{
	for (unsigned i = 0; i < ring_count(); i++) {
		struct ring *ring = owned_ring(passes, i);
		uint64_t first;
		if (ring == NULL || ring_waiting(ring, &first) == 0)
			continue;
		uint64_t mask = ring->shared->capacity - 1;
		uint64_t begin = slew_ns(&passes->slew, ring->records[first & mask].begin);
		if (begin < passes->begin_ns)
			passes->begin_ns = begin;
	}
}

static void say_run(struct passes *passes, uint64_t now_ns)
{
	struct meta meta = {.kind = META_RUN};
	struct meta_RUN *run = &meta.u.run;
	const struct collector_options *options = passes->options;
	process_describe(run);
	run->format_version = FRAME_FORMAT_VERSION;
	run->tool_version = LIBTRACE_VERSION;
	run->role = options->role;
	run->rank = options->rank;
	run->world_size = options->world_size;
	run->begin_ns = passes->begin_ns;
	run->begin_realtime_ns = passes->begin_realtime_ns;
	run->clock = clock_use_tsc ? "tsc" : "monotonic";
	run->ring_bytes = options->ring_bytes;
	run->ring_memory = live_memory(passes->writer.live);
	if (writer_meta(&passes->writer, &meta, now_ns) < 0)
		return;
	passes->described = true;
	passes->described_memory = run->ring_memory;
}

static void say_states(struct passes *passes, uint64_t now_ns)
{
	if (!passes->described || passes->described_memory != live_memory(passes->writer.live))
		say_run(passes, now_ns);
	for (unsigned i = 0; i < state_count(); i++) {
		struct meta meta;
		if (!passes->told[i] && state_get(i, &meta))
			passes->told[i] = writer_meta(&passes->writer, &meta, now_ns) == 0;
	}
}

uint64_t passes_run(struct passes *passes)
{
	uint64_t total = 0;
	adjust_clock(passes);
	uint64_t now_ns = passes_now_ns(passes);
	if (!passes->described)
		find_beginning(passes);
	say_states(passes, now_ns);
	for (unsigned i = 0; i < ring_count(); i++) {
		struct ring *ring = owned_ring(passes, i);
		if (ring == NULL)
			continue;
		uint64_t taken = drain_ring(passes, i, now_ns);
		take_ring_losses(passes, ring);
		total += taken;
		if (ring->shared != passes->own_ring)
			passes->taken += taken;
	}
	take_unowned_losses(passes);
	uint64_t device = gpu_collect_run(&passes->gpu, &passes->writer, now_ns);
	passes->taken += device;
	total += device;
	if (total > 0)
		live_set_scale(passes->writer.live, slew_current(&passes->slew));
	(void)ring_sweep(ring_sweep_wanted());
	writer_publish(&passes->writer);
	return total;
}

static void say_clock(struct passes *passes, uint64_t now_ns)
{
	struct clock_triple triple;
	clock_read_triple(&triple);
	struct meta meta = {.kind = META_CLOCK,
		.u.clock = {.ns = slew_ns(&passes->slew, triple.ticks),
			.monotonic_ns = triple.monotonic_ns,
			.realtime_ns = triple.realtime_ns}};
	(void)writer_meta(&passes->writer, &meta, now_ns);
}

static int say_count(struct passes *passes, const char *name, uint64_t value, uint64_t now_ns)
{
	struct meta meta = {.kind = META_COUNT, .u.count = {.name = name, .value = value}};
	return writer_meta(&passes->writer, &meta, now_ns);
}

static void say_counters(struct passes *passes, uint64_t now_ns)
{
	static const char *const names[COUNTER_COUNT] = {
		[COUNTER_SKIPPED_REENTRY] = "skipped_reentry",
		[COUNTER_SKIPPED_OFF] = "skipped_off",
		[COUNTER_RANGES_LOST] = "ranges_lost",
	};
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		uint64_t value = state_counter(i);
		if (value != passes->counters_told[i] &&
			say_count(passes, names[i], value, now_ns) == 0)
			passes->counters_told[i] = value;
	}
	(void)say_count(passes, "collector_cpu_ns", procstat_thread_ns(), now_ns);
}

/* Samples are events of the drain thread itself. */
static void sample(struct passes *passes)
{
	struct procstat_value values[PROCSTAT_LIMIT];
	unsigned count = procstat_read(values);
	uint64_t ticks = clock_ticks();
	for (unsigned i = 0; i < count; i++) {
		struct record *record = collector_reserve();
		if (record == NULL)
			break;
		*record = (struct record){.begin = ticks,
			.end = ticks,
			.kind = RECORD_SAMPLE,
			.a = values[i].value,
			.c = values[i].metric};
		collector_commit();
	}
	passes->own_ring = collector_thread.ring;
}

/* Threads get their names after they began: read them again a few times. */
static void refresh_name(struct passes *passes, unsigned index)
{
	struct ring *ring = ring_at(index);
	char path[64], name[sizeof(ring->shared->name) + 1] = "";
	(void)snprintf(path, sizeof(path), "/proc/self/task/%u/comm", ring->shared->tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	ssize_t got = read(fd, name, sizeof(name) - 1);
	(void)close(fd);
	if (got <= 0)
		return;
	name[strcspn(name, "\n")] = '\0';
	if (strncmp(name, ring->shared->name, sizeof(ring->shared->name)) == 0)
		return;
	memcpy(ring->shared->name, name, sizeof(ring->shared->name));
	announce_forget_thread(&passes->writer.announce, index);
}

static void refresh_names(struct passes *passes)
{
	unsigned left = NAMES_PER_SECOND;
	for (unsigned i = 0; i < ring_count() && left > 0; i++) {
		struct ring *ring = owned_ring(passes, i);
		if (ring == NULL || ring->name_age >= NAME_READS)
			continue;
		ring->name_age++;
		left--;
		refresh_name(passes, i);
	}
}

void passes_second(struct passes *passes, bool forced)
{
	uint64_t now_ns = passes_now_ns(passes);
	if (!forced && (passes->taken == passes->taken_at_second ||
			       now_ns < passes->second_ns + SECOND_NS))
		return;
	passes->taken_at_second = passes->taken;
	passes->second_ns = now_ns;
	refresh_names(passes);
	if (passes->options->tick != NULL)
		passes->options->tick(now_ns);
	if (!passes->options->without_samples)
		sample(passes);
	say_clock(passes, now_ns);
	say_counters(passes, now_ns);
	gpu_collect_second(&passes->gpu, &passes->writer, now_ns);
	writer_tell_losses(&passes->writer, now_ns);
	writer_publish(&passes->writer);
}

int passes_flush(struct passes *passes, bool forced)
{
	uint64_t now_ns = passes_now_ns(passes);
	const struct writer *writer = &passes->writer;
	if (writer->frame_begin_ns == 0 || (!forced && now_ns < writer->frame_begin_ns + SECOND_NS))
		return 0;
	return writer_flush(&passes->writer, now_ns);
}

/* Once more in the closing frame, so that it is there when the first one is damaged. */
static void say_closing_states(struct writer *writer, uint64_t now_ns)
{
	struct passes *passes =
		(struct passes *)(void *)((char *)writer - offsetof(struct passes, writer));
	passes->described = false;
	memset(passes->told, 0, sizeof(passes->told));
	memset(passes->counters_told, 0, sizeof(passes->counters_told));
	gpu_collect_say_again(&passes->gpu);
	say_states(passes, now_ns);
	say_clock(passes, now_ns);
	say_counters(passes, now_ns);
	gpu_collect_say(&passes->gpu, writer, now_ns);
}

int passes_finish(struct passes *passes, const char *reason)
{
	(void)passes_run(passes);
	passes_second(passes, true);
	/* Threads that go on recording must not keep us for ever. */
	for (unsigned i = 0; i < CLOSING_ROUNDS; i++)
		if (passes_run(passes) == 0)
			break;
	return writer_finish(&passes->writer, reason, passes_now_ns(passes), say_closing_states);
}
