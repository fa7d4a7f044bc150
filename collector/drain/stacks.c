/* SPDX-License-Identifier: MIT */
#include "collector/drain/stacks.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/buffer/pause.h"
#include "collector/buffer/state.h"
#include "collector/drain/procstat.h"
#include "collector/format/fields.h"

#define BUSY_SHARE 8u            /* one in so many nanoseconds on a processor is not idle */
#define HELPERS    4u            /* and more that do the same, so that each is asked less often */
#define AWAKE_NS   1000000000ull /* after its last record a thread is looked at for so long */

void stacks_begin(struct stacks *stacks, const struct collector_options *options)
{
	*stacks = (struct stacks){.options = options};
	unsigned hz = options->read_stack != NULL ? options->sample_hz : 0;
	if (options->helps && hz > 0)
		hz = (hz + HELPERS - 1) / HELPERS;
	rhythm_begin(&stacks->rhythm, hz);
}

uint64_t stacks_due_ns(const struct stacks *stacks)
{
	/* Nobody to look at: the next turn of the drain thread is soon enough. */
	return stacks->awake_ns == 0 ? RHYTHM_NEVER : stacks->rhythm.due_ns;
}

/* Processor time of a thread of this process, 0: it is gone. By number, as <sched.h> has it. */
static uint64_t thread_cpu_ns(uint32_t tid)
{
	struct timespec time;
	clockid_t clock = (clockid_t)(~tid << 3 | 6u);
	if (clock_gettime(clock, &time) < 0)
		return 0;
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

/* The thread does something: records, or work of its own that records nothing. */
static bool is_awake(struct ring *ring, uint64_t cpu_ns, uint64_t now_ns)
{
	bool busy = ring->cpu_at_ns != 0 && cpu_ns > ring->cpu_ns &&
		    BUSY_SHARE * (cpu_ns - ring->cpu_ns) > now_ns - ring->cpu_at_ns;
	ring->cpu_ns = cpu_ns;
	ring->cpu_at_ns = now_ns;
	return busy || now_ns < ring->active_ns + AWAKE_NS;
}

static void add_sample(struct stacks *stacks, const struct ring *ring,
	const struct collector_stack *stack, uint64_t at_ns, bool running)
{
	struct record *record = &stacks->records[stacks->count++];
	*record = (struct record){.begin = at_ns, .end = at_ns, .kind = RECORD_STACK};
	record->place = stack->place;
	record_set_STACK_thread(record, ring->thread);
	record_set_STACK_stack(record, stack->stack);
	record_set_STACK_state(record, running ? STACK_RUNNING : STACK_WAITING);
	record_set_STACK_flags(record, stack->flags);
	if (stack->stack == 0)
		state_count_up(COUNTER_STACKS_UNKNOWN, 1);
}

/* False: there is nothing to look at, or the thread sleeps. */
static bool look_at(
	struct stacks *stacks, struct ring *ring, const struct slew *slew, uint64_t now_ns)
{
	const void *subject;
	uint64_t mark;
	if (__atomic_load_n(&ring->shared, __ATOMIC_ACQUIRE) == NULL || ring->thread == 0 ||
		!ring_watched(ring, &subject, &mark))
		return false;
	uint64_t cpu_ns = thread_cpu_ns(ring->shared->tid);
	if (cpu_ns == 0 || !is_awake(ring, cpu_ns, now_ns))
		return false;
	struct collector_stack stack;
	uint64_t at_ns = slew_ns(slew, clock_ticks());
	enum collector_stack_result result = stacks->options->read_stack(subject, mark, &stack);
	if (result == COLLECTOR_STACK_READ)
		add_sample(stacks, ring, &stack, at_ns, thread_cpu_ns(ring->shared->tid) > cpu_ns);
	else if (result == COLLECTOR_STACK_TORN)
		state_count_up(COUNTER_STACKS_TORN, 1);
	return true;
}

void stacks_write(struct stacks *stacks, struct lane *lane, struct writer *writer, uint64_t now_ns)
{
	if (stacks->count > 0)
		lane_write(lane, writer, "libtrace", (uint32_t)syscall(SYS_gettid), stacks->records,
			stacks->count, now_ns);
	stacks->count = 0;
}

void stacks_take(struct stacks *stacks, struct lane *lane, struct writer *writer,
	const struct slew *slew, uint64_t now_ns)
{
	if (now_ns < stacks->rhythm.due_ns || pause_covers(now_ns))
		return;
	uint64_t begin_ns = procstat_thread_ns();
	stacks->awake_ns = 0;
	for (unsigned i = 0; i < ring_count(); i++) {
		if (look_at(stacks, ring_at(i), slew, now_ns))
			stacks->awake_ns = now_ns;
		if (stacks->count == STACKS_BLOCK)
			stacks_write(stacks, lane, writer, now_ns);
	}
	if (stacks->count >= STACKS_BLOCK / 2)
		stacks_write(stacks, lane, writer, now_ns);
	uint64_t cost_ns = procstat_thread_ns() - begin_ns;
	state_count_up(COUNTER_SAMPLER_NS, cost_ns);
	rhythm_next(&stacks->rhythm, now_ns, cost_ns);
}
