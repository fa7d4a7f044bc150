/* SPDX-License-Identifier: MIT */
/* Whose stack is read and when, and what of it comes to the file. */
#include <pthread.h>
#include <time.h>

#include "collector/drain/rhythm.h"
#include "collector/format/fields.h"
#include "test/unit/collector/turning.h"

TestSuite(stacks, .fini = tear_down, .timeout = 60);

static unsigned asked;
static uint64_t asked_mark;
static enum collector_stack_result answer = COLLECTOR_STACK_READ;

static uint32_t place_at(uint32_t line)
{
	uint32_t file_name = define_name("train.py", 8);
	return define_place(&(struct live_place){.file = file_name, .line = line});
}

static enum collector_stack_result read_stack(
	const void *subject, uint64_t mark, struct collector_stack *ret_stack)
{
	asked++;
	asked_mark = mark;
	cr_assert(eq(ptr, (void *)(uintptr_t)subject, &asked));
	uint32_t outer = define_stack(&(struct live_stack){place_at(1), 0});
	*ret_stack = (struct collector_stack){.place = place_at(2),
		.stack = define_stack(&(struct live_stack){place_at(2), outer}),
		.flags = STACK_CUT};
	return answer;
}

static void begin_sampling(unsigned hz)
{
	options.sample_hz = hz;
	options.read_stack = read_stack;
	begin(0);
	ring_watch(ring, &asked, 99);
}

Test(stacks, one_of_several_helpers_is_asked_less_often)
{
	const struct collector_options plain = {.sample_hz = 100, .read_stack = read_stack},
				       helper = {.sample_hz = 100,
					       .read_stack = read_stack,
					       .helps = true},
				       rare = {.sample_hz = 1,
					       .read_stack = read_stack,
					       .helps = true};
	struct stacks stacks;
	stacks_begin(&stacks, &plain);
	cr_expect(eq(u64, stacks.rhythm.pause_ns, 10000000));
	stacks_begin(&stacks, &helper);
	cr_expect(eq(u64, stacks.rhythm.pause_ns, 40000000));
	stacks_begin(&stacks, &rare);
	cr_expect(eq(u64, stacks.rhythm.pause_ns, 1000000000));
}

/* Wait until it is time, at most a second. */
static void look(void)
{
	const struct timespec pause = {0, 1000000};
	unsigned before = asked;
	for (unsigned i = 0; i < 1000 && asked == before; i++) {
		turn_stacks(&turn);
		(void)nanosleep(&pause, NULL);
	}
}

struct samples {
	unsigned count;
	uint32_t thread, stack;
	uint32_t caller; /* of that stack */
	unsigned place_line, flags;
	unsigned stacks;
	uint64_t torn;
};

static void see_stacks(struct trace_file *from, const struct item *item, bool is_live)
{
	struct samples *samples = from->context;
	(void)is_live;
	if (item->type == ITEM_META && item->meta.kind == META_STACK) {
		samples->stacks++;
		samples->stack = (uint32_t)item->meta.u.stack.id;
		samples->caller = (uint32_t)item->meta.u.stack.caller;
	}
	if (item->type == ITEM_META && item->meta.kind == META_COUNT &&
		strcmp(item->meta.u.count.name, "stacks_torn") == 0)
		samples->torn = item->meta.u.count.value;
	for (unsigned i = 0; item->type == ITEM_EVENTS && i < item->count; i++) {
		const struct record *record = &item->records[i];
		if (record->kind != RECORD_STACK)
			continue;
		/* The definition of its stack, and before that of the caller's, came before. */
		cr_assert(eq(u32, record_STACK_stack(record), samples->stack));
		cr_assert(ne(u32, samples->caller, 0));
		samples->thread = record_STACK_thread(record);
		samples->flags = record_STACK_flags(record);
		samples->count++;
	}
}

static struct samples finish(void)
{
	struct samples samples = {0};
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	live_remove(&live);
	file = (struct trace_file){.item = see_stacks, .context = &samples};
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
	return samples;
}

Test(stacks, a_sample_and_the_definitions_that_it_needs)
{
	begin_sampling(100);
	push(0, 1);
	turn_run(&turn);
	look();
	look();
	cr_assert(eq(u64, asked_mark, 99));
	uint32_t thread = ring->shared->thread;
	struct samples samples = finish();
	cr_assert(eq(uint, samples.count, 2));
	cr_assert(eq(uint, samples.stacks, 2));
	cr_assert(eq(u32, samples.thread, thread));
	cr_assert(eq(uint, samples.flags, STACK_CUT));
	cr_assert(zero(u64, samples.torn));
}

/* The clock of a forked child was measured long before it began. */
Test(stacks, looks_do_not_depend_on_the_age_of_the_clock)
{
	struct clock_triple first, later;
	begin_sampling(100);
	clock_read_triple(&first);
	(void)usleep(20000);
	clock_read_triple(&later);
	first.ticks -= 1000 * (later.ticks - first.ticks);
	first.monotonic_ns -= 1000 * (later.monotonic_ns - first.monotonic_ns);
	cr_assert(zero(int, turn_init(&turn, &options, &live, &sink, &first)));
	turn_stacks(&turn);
	push(0, 1);
	turn_run(&turn);
	look();
	look();
	cr_assert(eq(uint, asked, 2));
}

Test(stacks, torn_ones_are_counted_and_dropped)
{
	answer = COLLECTOR_STACK_TORN;
	begin_sampling(1000);
	push(0, 1);
	turn_run(&turn);
	look();
	look();
	look();
	struct samples samples = finish();
	cr_assert(zero(uint, samples.count));
	cr_assert(eq(u64, samples.torn, 3));
}

Test(stacks, none_are_read_when_none_are_wanted)
{
	begin_sampling(0);
	push(0, 1);
	turn_run(&turn);
	turn_stacks(&turn);
	cr_assert(eq(u64, stacks_due_ns(&turn.stacks), RHYTHM_NEVER));
	cr_assert(zero(uint, asked));
}

Test(stacks, a_thread_that_is_not_watched_is_left_alone)
{
	begin_sampling(1000);
	ring_watch(ring, NULL, 0);
	push(0, 1);
	turn_run(&turn);
	turn_stacks(&turn);
	cr_assert(zero(uint, asked));
	cr_assert(eq(u64, stacks_due_ns(&turn.stacks), RHYTHM_NEVER));
}

static void *own_ring(void *context)
{
	struct ring **ret_ring = context;
	*ret_ring = ring_take(&live, RING_BYTES);
	ring_watch(*ret_ring, &asked, 99);
	(void)pause();
	return NULL;
}

Test(stacks, a_thread_that_sleeps_is_left_alone_after_a_second)
{
	begin_sampling(1000);
	ring_watch(ring, NULL, 0);
	struct ring *other = NULL;
	pthread_t sleeper;
	cr_assert(zero(int, pthread_create(&sleeper, NULL, own_ring, &other)));
	while (__atomic_load_n(&other, __ATOMIC_ACQUIRE) == NULL || other->subject == NULL)
		(void)usleep(1000);
	turn_run(&turn);
	other->active_ns = turn_now(&turn);
	look();
	cr_assert(eq(uint, asked, 1));
	cr_assert(ne(u64, stacks_due_ns(&turn.stacks), RHYTHM_NEVER));
	other->active_ns -= 1000000000ull;
	while (turn_now(&turn) < turn.stacks.rhythm.due_ns)
		(void)usleep(1000);
	turn_stacks(&turn);
	cr_assert(eq(uint, asked, 1));
	cr_assert(eq(u64, stacks_due_ns(&turn.stacks), RHYTHM_NEVER));
}

/* This thread is the one that is looked at: it is busy without recording anything. */
Test(stacks, a_thread_that_is_busy_is_looked_at_however_long_it_records_nothing)
{
	begin_sampling(100);
	push(0, 1);
	turn_run(&turn);
	look();
	ring->active_ns -= 2000000000ull;
	/* Others may have the processor for most of the time. */
	for (uint64_t until = turn_now(&turn) + 5000000000ull; asked < 2;) {
		turn_stacks(&turn);
		cr_assert(lt(u64, turn_now(&turn), until));
	}
}

Test(rhythm, the_mean_is_what_was_asked_for)
{
	struct rhythm rhythm;
	uint64_t now = 1000, least = UINT64_MAX, most = 0;
	rhythm_begin(&rhythm, 100);
	cr_assert(zero(u64, rhythm.due_ns));
	uint64_t begin_ns = now;
	for (unsigned i = 0; i < 10000; i++) {
		rhythm_next(&rhythm, now, 20000);
		uint64_t pause_ns = rhythm.due_ns - now;
		least = pause_ns < least ? pause_ns : least;
		most = pause_ns > most ? pause_ns : most;
		now = rhythm.due_ns;
	}
	double mean = (double)(now - begin_ns) / 10000;
	cr_assert(lt(dbl, mean, 10.1e6));
	cr_assert(gt(dbl, mean, 9.9e6));
	cr_assert(ge(u64, least, 7500000));
	cr_assert(le(u64, most, 12500000));
	cr_assert(gt(u64, most - least, 4000000));
}

Test(rhythm, dear_looks_become_rare_and_cheap_ones_frequent_again)
{
	struct rhythm rhythm;
	uint64_t now = 1000, begin_ns = now;
	rhythm_begin(&rhythm, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		rhythm_next(&rhythm, now, 100000);
		now = rhythm.due_ns;
	}
	/* 100 us each, one in RHYTHM_SHARE. */
	cr_assert(gt(dbl, (double)(now - begin_ns) / 1000, 0.97 * 100e3 * RHYTHM_SHARE));
	for (unsigned i = 0; i < 100; i++) {
		rhythm_next(&rhythm, now, 1000);
		now = rhythm.due_ns;
	}
	uint64_t before = now;
	rhythm_next(&rhythm, now, 1000);
	cr_assert(le(u64, rhythm.due_ns - before, 1250000));
}

/* How many of them there are, wanted 1,000 times a second. */
static uint64_t looks_of_100_us(struct rhythm *rhythm, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t looks = 0;
	for (uint64_t now = begin_ns; now < end_ns; now = rhythm->due_ns, looks++)
		rhythm_next(rhythm, now, 100000);
	return looks;
}

Test(rhythm, dear_looks_are_half_as_many_once_there_are_enough)
{
	struct rhythm rhythm;
	rhythm_begin(&rhythm, 1000);
	const uint64_t begin_ns = 1000, later_ns = begin_ns + RHYTHM_FIRST_NS;
	uint64_t first = looks_of_100_us(&rhythm, begin_ns, later_ns);
	uint64_t later = looks_of_100_us(&rhythm, rhythm.due_ns, later_ns + RHYTHM_FIRST_NS);
	cr_assert(le(dbl, (double)first, 1.03 * RHYTHM_FIRST_NS / RHYTHM_SHARE / 100e3));
	cr_assert(ge(dbl, (double)first, 0.97 * RHYTHM_FIRST_NS / RHYTHM_SHARE / 100e3));
	cr_assert(le(dbl, (double)later, 1.03 * RHYTHM_FIRST_NS / RHYTHM_LATER_SHARE / 100e3));
	cr_assert(ge(dbl, (double)later, 0.97 * RHYTHM_FIRST_NS / RHYTHM_LATER_SHARE / 100e3));
}

/* A second after two of loading is seen as often as was asked for, and no more is spent. */
Test(rhythm, what_was_not_spent_before_is_spent_first)
{
	struct rhythm rhythm;
	uint64_t now = 1000, looks = 0;
	rhythm_begin(&rhythm, 100);
	rhythm_next(&rhythm, now, 1000);
	for (now += 2000000000ull; now < 3000000000ull; looks++) {
		rhythm_next(&rhythm, now, 100000);
		now = rhythm.due_ns;
	}
	cr_assert(ge(u64, looks, 95));
	cr_assert(le(u64, looks * 100000, now / RHYTHM_SHARE + 100000));
	uint64_t begin_ns = now;
	for (looks = 0; looks < 1000; looks++) {
		rhythm_next(&rhythm, now, 100000);
		now = rhythm.due_ns;
	}
	cr_assert(gt(dbl, (double)(now - begin_ns), 0.97 * 100e6 * RHYTHM_SHARE));
}

/* An hour without anything to see does not make up for more than RHYTHM_KEPT_NS. */
Test(rhythm, what_is_kept_has_an_end)
{
	struct rhythm rhythm;
	uint64_t now = 1000, spent_ns = 0;
	rhythm_begin(&rhythm, 1000);
	rhythm_next(&rhythm, now, 1000);
	now += 3600000000000ull;
	uint64_t begin_ns = now;
	for (unsigned i = 0; i < 1000; i++) {
		rhythm_next(&rhythm, now, 100000);
		now = rhythm.due_ns;
		spent_ns += 100000;
	}
	cr_assert(le(u64, spent_ns, (now - begin_ns + RHYTHM_KEPT_NS) / RHYTHM_SHARE + 100000));
}

Test(rhythm, one_that_was_interrupted_does_not_count_for_ever)
{
	struct rhythm rhythm;
	rhythm_begin(&rhythm, 100);
	rhythm_next(&rhythm, 0, 3600000000000ull);
	cr_assert(le(u64, rhythm.due_ns, 2000000000ull));
	rhythm_begin(&rhythm, 0);
	rhythm_next(&rhythm, 0, 1);
	cr_assert(eq(u64, rhythm.due_ns, RHYTHM_NEVER));
}
