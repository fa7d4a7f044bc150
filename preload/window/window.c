/* SPDX-License-Identifier: MIT */
#include "preload/window/window.h"

#include <stdio.h>

#include "collector/base/hash.h"
#include "collector/base/small.h"

#define KEYS 16u /* of one kind; what comes after so many has no part */
/* So many ranges with the name of a step are steps; fewer may be anything. */
#define RANGES_FEW 2u
/* Counts that differ by less come from a round that has begun. */
#define EQUAL_TENTHS 9u

bool window_counts;

static struct window_options options SMALL;
static int switched; /* on, by the user */
static int was_on;
static void (*passed_all)(void);
static void (*step_ended)(void);
static void (*changed)(bool on);
static bool pauses;

static struct kind {
	struct {
		uint64_t key, count;
	} marks[KEYS];   /* in the order in which they came */
	uint64_t passed; /* steps that have ended, by these marks */
} kinds[PAUSE_KINDS] SMALL;
static uint64_t ranges, range_begin; /* of the program; begin of the last one */

/* Steps that have ended, by the best kind of mark that there is. */
static uint64_t passed_now(void)
{
	for (unsigned kind = 0; kind < PAUSE_KINDS; kind++) {
		uint64_t passed = __atomic_load_n(&kinds[kind].passed, __ATOMIC_RELAXED);
		/* the first batch is drawn where step 0 begins */
		if (passed > 0)
			return kind == PAUSE_LOADS ? passed - 1 : passed;
	}
	return 0;
}

static void decide(void)
{
	uint64_t step = passed_now();
	bool inside = !options.steps.chosen ||
		      (step >= options.steps.first && step <= options.steps.last);
	int on = inside && __atomic_load_n(&switched, __ATOMIC_RELAXED) != 0;
	if (on != __atomic_exchange_n(&was_on, on, __ATOMIC_RELAXED))
		collector_enable(on != 0);
	if (passed_all != NULL && options.steps.chosen && step > options.steps.last)
		passed_all();
}

void window_tell(void)
{
	int on = __atomic_load_n(&was_on, __ATOMIC_SEQ_CST), told = !on;
	/* who tells last, of several threads, tells what it is then */
	for (; changed != NULL && told != on; on = __atomic_load_n(&was_on, __ATOMIC_SEQ_CST)) {
		changed(on != 0);
		told = on;
	}
}

void window_each_change(void (*called)(bool on))
{
	changed = called;
	if (window_pauses())
		window_tell();
}

void window_start(void)
{
	bool inside = !options.steps.chosen || options.steps.first == 0;
	was_on = switched && inside;
	collector_enable(was_on != 0);
}

void window_after(void (*passed)(void))
{
	passed_all = passed;
}

void window_each_step(void (*ended)(void))
{
	step_ended = ended;
}

bool window_pauses(void)
{
	return __atomic_load_n(&pauses, __ATOMIC_RELAXED);
}

void window_init(const struct window_options *wanted)
{
	options = *wanted;
	pauses = options.steps.chosen || options.begin != WINDOW_ON || options.toggles;
	window_counts = pauses || options.counts;
	switched = options.begin == WINDOW_ON;
}

/* How often the mark has come that ends the steps of this kind, with this one. */
static uint64_t count(struct kind *kind, uint64_t key)
{
	uint64_t most = 0, elected = 0;
	unsigned own = 0, used;
	for (; own < KEYS; own++) {
		uint64_t free = 0;
		if (__atomic_compare_exchange_n(&kind->marks[own].key, &free, key, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
			free == key)
			break;
	}
	if (own == KEYS)
		return 0;
	(void)__atomic_add_fetch(&kind->marks[own].count, 1, __ATOMIC_RELAXED);
	for (used = own + 1; used < KEYS; used++)
		if (__atomic_load_n(&kind->marks[used].key, __ATOMIC_RELAXED) == 0)
			break;
	for (unsigned i = 0; i < used; i++) {
		uint64_t each = __atomic_load_n(&kind->marks[i].count, __ATOMIC_RELAXED);
		most = each > most ? each : most;
	}
	for (unsigned i = 0; i < used; i++) {
		uint64_t each = __atomic_load_n(&kind->marks[i].count, __ATOMIC_RELAXED);
		if (each > 0 && (each + 1 >= most || 10 * each >= EQUAL_TENTHS * most))
			elected = each;
	}
	return elected;
}

/* No better kind of mark has ended a step. */
static bool is_best(enum pause_kind kind)
{
	for (unsigned better = 0; better < kind; better++)
		if (__atomic_load_n(&kinds[better].passed, __ATOMIC_RELAXED) > 0)
			return false;
	return true;
}

/* The steps of this kind are so many now. */
static void pass(enum pause_kind kind, uint64_t steps, bool recorded)
{
	uint64_t before = __atomic_load_n(&kinds[kind].passed, __ATOMIC_RELAXED);
	while (steps > before && !__atomic_compare_exchange_n(&kinds[kind].passed, &before, steps,
					 false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	if (steps <= before)
		return;
	if (!recorded)
		pause_pass(kind);
	if (options.steps.chosen)
		decide();
	if (window_pauses())
		window_tell();
	if (step_ended != NULL && is_best(kind))
		step_ended();
}

void window_mark(enum pause_kind kind, uint32_t name, uint64_t object, bool recorded)
{
	uint64_t key = kind == PAUSE_MARKS ? kind : hash_mix(name, object);
	pass(kind, count(&kinds[kind], key | 1), recorded);
}

void window_range(enum pause_kind kind, uint64_t begin_ticks, bool recorded)
{
	if (begin_ticks <= __atomic_load_n(&range_begin, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&range_begin, begin_ticks, __ATOMIC_RELAXED);
	if (__atomic_add_fetch(&ranges, 1, __ATOMIC_RELAXED) > RANGES_FEW)
		window_mark(kind, 0, 0, recorded);
}

static void turn(int on)
{
	__atomic_store_n(&switched, on, __ATOMIC_RELAXED);
	decide();
}

void window_toggle(void)
{
	turn(__atomic_load_n(&switched, __ATOMIC_RELAXED) == 0);
}

void window_may_pause(void)
{
	if (window_pauses())
		return;
	__atomic_store_n(&pauses, true, __ATOMIC_RELAXED);
	__atomic_store_n(&window_counts, true, __ATOMIC_RELAXED);
	pause_expect();
}

void window_switch(bool on)
{
	window_may_pause();
	turn(on);
	window_tell();
}

void window_profiler(bool on)
{
	if (options.begin == WINDOW_PROFILER) {
		turn(on);
		window_tell();
	}
}

bool window_reason(char *text, size_t size)
{
	unsigned long long first = options.steps.first, last = options.steps.last,
			   passed = passed_now();
	if (options.begin != WINDOW_ON && !switched)
		(void)snprintf(text, size, "LIBTRACE_BEGIN=%s",
			options.begin == WINDOW_PROFILER
				? "profiler, and cudaProfilerStart was not called"
				: "off, and no signal has switched recording on");
	else if (options.steps.chosen && passed == 0)
		(void)snprintf(text, size,
			"LIBTRACE_STEPS=%llu-%llu, and no step was seen to end (by an optimiser, a "
			"loader, torch.profiler or a range of NVTX)",
			first, last);
	else if (options.steps.chosen && passed < options.steps.first)
		(void)snprintf(text, size,
			"LIBTRACE_STEPS=%llu-%llu, and only %llu steps were seen to end", first,
			last, passed);
	else
		return false;
	return true;
}

bool window_missed(void)
{
	uint64_t passed = passed_now();
	return passed > 0 && (!switched || (options.steps.chosen && passed < options.steps.first));
}

void window_after_fork(void)
{
	for (unsigned i = 0; i < PAUSE_KINDS; i++)
		kinds[i] = (struct kind){.passed = 0};
	ranges = range_begin = 0;
	if (window_counts)
		window_start();
}
