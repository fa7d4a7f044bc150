/* SPDX-License-Identifier: MIT */
#include "collector/drain/sample.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/buffer/ring.h"
#include "collector/buffer/state.h"
#include "collector/drain/procstat.h"
#include "collector/format/fields.h"

#define THREADS_LIMIT 16u /* read in one round: what more cost would be felt */

static void write_records(struct lane *lane, struct writer *writer, const struct record *records,
	unsigned count, uint64_t now_ns)
{
	if (count > 0)
		lane_write(lane, writer, "libtrace", (uint32_t)syscall(SYS_gettid), records, count,
			now_ns);
}

void sample_write(
	struct lane *lane, struct writer *writer, const struct slew *slew, uint64_t now_ns)
{
	struct procstat_value values[PROCSTAT_LIMIT];
	struct record records[PROCSTAT_LIMIT];
	unsigned count = procstat_read(values);
	uint64_t at_ns = slew_ns(slew, clock_ticks());
	for (unsigned i = 0; i < count; i++) {
		records[i] = (struct record){.begin = at_ns, .end = at_ns, .kind = RECORD_SAMPLE};
		record_set_SAMPLE_metric(&records[i], values[i].metric);
		record_set_SAMPLE_value(&records[i], values[i].value);
	}
	write_records(lane, writer, records, count, now_ns);
}

/* A thread that is there without times: the kernel does not count them, or /proc is another's. */
static void tell_missing(const struct procstat_value *values, unsigned count, uint32_t tid)
{
	char path[64];
	bool scheduled = count > 0 && values[0].metric == THREAD_RUN_NS;
	(void)snprintf(path, sizeof(path), "/proc/self/task/%u", tid);
	bool ended = access(path, F_OK) != 0 && access("/proc/self/task", F_OK) == 0;
	if (!scheduled && !ended)
		state_add(META_SOURCE, "threads", "absent",
			"/proc does not tell the times of threads");
}

/* What recording took on the thread, by the present rate of the clock. */
static uint64_t hooks_ns(const struct ring *ring, const struct slew *slew)
{
	const struct clock_scale *scale = slew_current(slew);
	return (uint64_t)((__uint128_t)cost_ticks(&ring->cost) * scale->mult >> 32);
}

static void sample_thread(struct lane *lane, struct writer *writer, const struct slew *slew,
	const struct ring *ring, uint64_t now_ns)
{
	struct procstat_value values[PROCSTAT_LIMIT + 1];
	struct record records[PROCSTAT_LIMIT + 1];
	uint32_t tid = ring->shared->tid;
	uint64_t at_ns = slew_ns(slew, clock_ticks());
	unsigned count = procstat_read_thread(tid, values);
	tell_missing(values, count, tid);
	values[count++] = (struct procstat_value){THREAD_HOOKS_NS, hooks_ns(ring, slew)};
	for (unsigned i = 0; i < count; i++) {
		records[i] =
			(struct record){.begin = at_ns, .end = at_ns, .kind = RECORD_THREAD_SAMPLE};
		record_set_THREAD_SAMPLE_metric(&records[i], values[i].metric);
		record_set_THREAD_SAMPLE_thread(&records[i], tid);
		record_set_THREAD_SAMPLE_value(&records[i], values[i].value);
	}
	write_records(lane, writer, records, count, now_ns);
}

unsigned sample_threads(
	struct lane *lane, struct writer *writer, const struct slew *slew, uint64_t now_ns)
{
	unsigned left = THREADS_LIMIT;
	for (unsigned i = 0; i < ring_count() && left > 0; i++) {
		const struct ring *ring = ring_at(i);
		if (ring->thread == 0 || !ring->feeds ||
			__atomic_load_n(&ring->left, __ATOMIC_RELAXED))
			continue;
		sample_thread(lane, writer, slew, ring, now_ns);
		left--;
	}
	return THREADS_LIMIT - left;
}
