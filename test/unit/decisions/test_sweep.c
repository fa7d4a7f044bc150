/* SPDX-License-Identifier: MIT */
/*
 * The exclusive account by hand: pieces of the host's time and work of the device are laid down, and
 * every nanosecond has the one cause that the rules give it.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "analyzer/timeline/sweep.h"

#define JOIN_NS 10u /* a pause up to this belongs to launching */
#define MOST    8

struct work {
	enum device_class class;
	uint64_t begin, end;
	uint32_t spot;
};

struct sweep_case {
	const char *name;
	struct piece pieces[MOST]; /* up to the first that ends at 0 */
	struct work work[MOST];
	uint64_t causes[CAUSE_COUNT];
	bool measured;
};

static struct sweep *sweep;
static struct host host;
static struct spots *spots;
static struct steps *steps;

static uint32_t other; /* a spot beside 0 */

static const struct meta_PLACE *no_place(const void *context, uint32_t id)
{
	(void)context;
	(void)id;
	return NULL;
}

static void begin(void)
{
	const struct lookup lookup = {.place = no_place};
	spots = spots_new();
	steps = calloc(1, sizeof(*steps));
	sweep = malloc(sizeof(*sweep));
	cr_assert(spots != NULL && steps != NULL && sweep != NULL);
	other = spot_index(spots, spots_find(spots, &lookup, 0, 1, SPOT_WAIT));
	steps_init(steps, 0);
	cr_assert(eq(int, sweep_init(sweep, spots, steps, 0), 0));
	host_init(&host, JOIN_NS);
}

static void end(void)
{
	sweep_release(sweep);
	host_release(&host);
	spots_free(spots);
	free(sweep);
	free(steps);
}

TestSuite(sweep, .init = begin, .fini = end);

/* A piece of the host's time from the last one's end on is added, and the time runs to to_ns. */
static void run_to(struct sweep_end stretch)
{
	uint64_t until;
	cr_assert(eq(int, host_close(&host, stretch.to_ns, &until), 0));
	if (stretch.wait_begin_ns == 0)
		stretch.wait_begin_ns = stretch.to_ns;
	sweep_run(sweep, &host, &stretch);
	host_drop(&host, until);
}

/* Sums of step 0 up to step until. */
static void sums(uint64_t first, uint64_t until, uint64_t *ret_values)
{
	series_sum(&sweep->account, first, until, ret_values);
}

#define LAUNCH PIECE_LAUNCH
#define K      DEVICE_CLASS_COMPUTE
#define N      DEVICE_CLASS_COMM
#define C      DEVICE_CLASS_COPY

/* Each fills 0 to 100. */
static const struct sweep_case cases[] = {
	{.name = "nothing at all", .causes = {[CAUSE_IDLE_HOST] = 100}},
	{.name = "a pause of join_ns is launching, a longer one is not",
		.pieces = {{0, 10, 0, LAUNCH}, {20, 30, 0, PIECE_ALLOC}, {41, 100, 0, LAUNCH}},
		.causes = {[CAUSE_IDLE_LAUNCH] = 10 + 10 + 59,
			[CAUSE_IDLE_ALLOC] = 10,
			[CAUSE_IDLE_HOST] = 11}},
	{.name = "why the device is idle",
		.pieces = {{0, 20, 0, PIECE_INPUT}, {20, 50, 0, PIECE_ALLOC}, {50, 60, 0, LAUNCH},
			{60, 65, 0, PIECE_COPY}, {65, 100, 0, PIECE_WAIT}},
		.causes = {[CAUSE_IDLE_INPUT] = 20,
			[CAUSE_IDLE_ALLOC] = 30,
			[CAUSE_IDLE_LAUNCH] = 10 + 5,
			[CAUSE_IDLE_SYNC] = 35}},
	{.name = "a full queue means that the device works",
		.pieces = {{0, 60, 0, PIECE_BLOCKED}, {60, 100, 0, LAUNCH}},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 60, [CAUSE_IDLE_LAUNCH] = 40}},
	{.name = "unless the device says that it did not",
		.pieces = {{0, 60, 0, PIECE_BLOCKED}, {60, 100, 0, LAUNCH}},
		.measured = true,
		.causes = {[CAUSE_IDLE_LAUNCH] = 100}},
	{.name = "computing wins over communication over copies over idle time",
		.pieces = {{0, 100, 0, LAUNCH}},
		.work = {{C, 10, 70, 0}, {N, 20, 60, 0}, {K, 30, 50, 0}},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 20,
			[CAUSE_DEVICE_COMM] = 20,
			[CAUSE_DEVICE_COPY] = 20,
			[CAUSE_IDLE_LAUNCH] = 40}},
	{.name = "in whatever order they begin and end",
		.pieces = {{0, 100, 0, PIECE_INPUT}},
		.work = {{K, 0, 10, 0}, {C, 5, 15, 0}, {N, 12, 30, 0}, {K, 25, 40, 0},
			{C, 35, 60, 0}},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 10 + 15,
			[CAUSE_DEVICE_COMM] = 13,
			[CAUSE_DEVICE_COPY] = 2 + 20,
			[CAUSE_IDLE_INPUT] = 40}},
	{.name = "work at the same time counts once",
		.pieces = {{0, 100, 0, LAUNCH}},
		.work = {{K, 0, 30, 0}, {K, 10, 20, 0}, {K, 15, 40, 0}, {K, 40, 41, 0}},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 41, [CAUSE_IDLE_LAUNCH] = 59}},
	{.name = "work that reaches over the end counts up to it",
		.pieces = {{0, 100, 0, LAUNCH}},
		.work = {{K, 90, 150, 0}, {C, 95, 200, 0}},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 10, [CAUSE_IDLE_LAUNCH] = 90}},
	{.name = "a copy beside the host's work hides none of it twice",
		.pieces = {{0, 50, 0, PIECE_INPUT}, {50, 100, 0, PIECE_ALLOC}},
		.work = {{C, 40, 60, 0}},
		.causes = {[CAUSE_DEVICE_COPY] = 20,
			[CAUSE_IDLE_INPUT] = 40,
			[CAUSE_IDLE_ALLOC] = 40}},
};

Test(sweep, one_nanosecond_one_cause)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sweep_case *one = &cases[i];
		uint64_t values[SWEEP_VALUE_COUNT], sum = 0;
		if (i > 0) {
			end();
			begin();
		}
		for (unsigned j = 0; j < MOST && one->pieces[j].end > 0; j++)
			cr_assert(eq(int,
				host_add(&host, one->pieces[j].kind, one->pieces[j].begin,
					one->pieces[j].end, one->pieces[j].spot),
				0));
		for (unsigned j = 0; j < MOST && one->work[j].end > 0; j++)
			cr_assert(eq(int,
				sweep_device(sweep, one->work[j].class, one->work[j].begin,
					one->work[j].end, one->work[j].spot),
				0));
		run_to((struct sweep_end){.to_ns = 100, .measured = one->measured});
		sums(0, 1, values);
		for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
			sum += values[cause];
			cr_expect(eq(u64, values[cause], one->causes[cause]), "%s: %s", one->name,
				cause_infos[cause].name);
		}
		cr_expect(eq(u64, sum, 100), "%s", one->name);
	}
}

static uint64_t random_number(void)
{
	static uint64_t state = 7;
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state >> 33;
}

#define SPAN 2000u

/* The cause of each nanosecond, by marking. Pieces are apart by more than join_ns or not at all. */
static void mark(const struct work *work, unsigned work_count, const struct piece *pieces,
	unsigned piece_count, uint64_t until, uint64_t *ret_causes)
{
	static const enum cause device[] = {
		CAUSE_DEVICE_COMPUTE, CAUSE_DEVICE_COMM, CAUSE_DEVICE_COPY};
	static const enum cause idle[PIECE_KIND_COUNT] = {[PIECE_LAUNCH] = CAUSE_IDLE_LAUNCH,
		[PIECE_WAIT] = CAUSE_IDLE_SYNC,
		[PIECE_BLOCKED] = CAUSE_IDLE_LAUNCH,
		[PIECE_COPY] = CAUSE_IDLE_LAUNCH,
		[PIECE_ALLOC] = CAUSE_IDLE_ALLOC,
		[PIECE_INPUT] = CAUSE_IDLE_INPUT};
	for (uint64_t ns = 0; ns < until; ns++) {
		unsigned class = DEVICE_CLASS_COUNT;
		enum cause cause = CAUSE_IDLE_HOST;
		for (unsigned i = 0; i < work_count; i++)
			if (work[i].begin <= ns && ns < work[i].end && work[i].class < class)
				class = work[i].class;
		for (unsigned i = 0; i < piece_count; i++)
			if (pieces[i].begin <= ns && ns < pieces[i].end)
				cause = idle[pieces[i].kind];
		ret_causes[class < DEVICE_CLASS_COUNT ? device[class] : cause]++;
	}
}

/* The same by marking every nanosecond, in several stretches and steps. */
Test(sweep, is_the_same_as_marking_each_nanosecond)
{
	for (unsigned round = 0; round < 60; round++) {
		struct work work[40];
		struct piece pieces[60];
		unsigned piece_count = 0;
		uint64_t marked[CAUSE_COUNT] = {0}, values[SWEEP_VALUE_COUNT];
		if (round > 0) {
			end();
			begin();
		}
		for (unsigned i = 0; i < 40; i++) {
			uint64_t from = random_number() % SPAN;
			work[i] = (struct work){(enum device_class)(random_number() % 3), from,
				from + 1 + random_number() % 60, 0};
			cr_assert(sweep_device(sweep, work[i].class, work[i].begin, work[i].end,
					  0) == 0);
		}
		for (uint64_t at = 0; at < SPAN && piece_count < 60;) {
			at += random_number() % 2 * (JOIN_NS + 1 + random_number() % 20);
			pieces[piece_count] = (struct piece){.begin = at,
				.end = at + 1 + random_number() % 50,
				.kind = (uint32_t)(random_number() % PIECE_KIND_COUNT)};
			at = pieces[piece_count++].end;
			cr_assert(host_add(&host, pieces[piece_count - 1].kind,
					  pieces[piece_count - 1].begin, at, 0) == 0);
		}
		uint64_t until = pieces[piece_count - 1].end;
		mark(work, 40, pieces, piece_count, until, marked);
		for (uint64_t cut = 1; cut <= 5; cut++)
			cr_assert(sweep_cut(sweep, cut * 250 + round));
		/* stretches end with calls */
		for (unsigned i = 9; i < piece_count && pieces[i].end < until; i += 1 + i % 13)
			run_to((struct sweep_end){.to_ns = pieces[i].end, .measured = true});
		run_to((struct sweep_end){.to_ns = until, .measured = true});
		sums(0, 6, values);
		for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
			cr_expect(eq(u64, values[cause], marked[cause]), "round %u: %s", round,
				cause_infos[cause].name);
		/* every step has its own length */
		for (uint64_t step = 0; step < 6; step++) {
			uint64_t sum = 0, from = step == 0 ? 0 : step * 250 + round;
			sums(step, step + 1, values);
			for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
				sum += values[cause];
			cr_expect(eq(
				u64, sum, (step == 5 ? until : (step + 1) * 250 + round) - from));
		}
	}
}

static uint64_t exposed(uint32_t spot)
{
	uint64_t found[SPOT_FINDING_COUNT];
	series_sum(&spots->items[spot].found, 0, 1, found);
	return found[SPOT_EXPOSED_NS];
}

/* A wait of line 0 from 0 to 100 that took waited of it; then host code until 1000. */
static void after_wait(uint64_t waited, uint64_t empty_ns, uint64_t *ret_values)
{
	end();
	begin();
	cr_assert(host_add(&host, PIECE_WAIT, 0, 100, 0) == 0);
	cr_assert(sweep_device(sweep, K, 0, 100, 0) == 0);
	run_to((struct sweep_end){
		.to_ns = 100, .wait_begin_ns = 1, .spare_ns = 99 - waited, .exact = true});
	run_to((struct sweep_end){.to_ns = 1000, .empty_ns = empty_ns});
	sums(0, 1, ret_values);
}

Test(sweep, a_wait_that_drained_pays_for_the_idle_time_after_it)
{
	static const struct {
		const char *name;
		uint64_t waited, empty_ns, sync;
	} waits[] = {
		/* nothing is launched: what it cost in lead */
		{"lead only", 60, 0, 60},
		/* the gap until the launch at 340 is 240, and 61 is more than a quarter */
		{"the gap is the wait's", 61, 340, 240},
		{"a quarter is too little for that", 60, 340, 60},
		/* the gap of 20 and what is left of the lead */
		{"the lead is longer than the gap", 60, 120, 60},
	};
	uint64_t values[SWEEP_VALUE_COUNT];
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		after_wait(waits[i].waited, waits[i].empty_ns, values);
		cr_expect(eq(u64, values[CAUSE_IDLE_SYNC], waits[i].sync), "%s", waits[i].name);
		cr_expect(
			eq(u64, values[CAUSE_IDLE_HOST], 900 - waits[i].sync), "%s", waits[i].name);
		cr_expect(eq(u64, exposed(0), waits[i].sync), "%s", waits[i].name);
		cr_expect(eq(u64, values[SWEEP_WAITED_NS], waits[i].waited), "%s", waits[i].name);
	}
}

/* Waits for data and allocations have their own causes, whatever a wait before them cost. */
Test(sweep, a_wait_does_not_pay_for_what_has_a_name)
{
	uint64_t values[SWEEP_VALUE_COUNT];
	cr_assert(host_add(&host, PIECE_WAIT, 0, 100, 0) == 0);
	cr_assert(host_add(&host, PIECE_INPUT, 100, 130, 0) == 0);
	cr_assert(host_add(&host, PIECE_ALLOC, 130, 150, 0) == 0);
	cr_assert(host_add(&host, PIECE_LAUNCH, 150, 200, 0) == 0);
	cr_assert(sweep_device(sweep, K, 0, 100, 0) == 0);
	run_to((struct sweep_end){.to_ns = 100, .wait_begin_ns = 20, .exact = true});
	run_to((struct sweep_end){.to_ns = 200, .empty_ns = 150});
	sums(0, 1, values);
	cr_expect(eq(u64, values[CAUSE_IDLE_INPUT], 30));
	cr_expect(eq(u64, values[CAUSE_IDLE_ALLOC], 20));
	cr_expect(eq(u64, values[CAUSE_IDLE_SYNC], 50)); /* of the lead of 80 */
	cr_expect(eq(u64, values[CAUSE_IDLE_LAUNCH], 0));
}

Test(sweep, the_lead_is_forgotten_at_the_next_real_wait_or_another_line)
{
	static const struct {
		const char *name;
		bool other, exact;
		uint64_t sync;
	} next[] = {
		{"the same line finds the device done", false, false, 60},
		{"another line finds it done", true, false, 0},
		{"the same line waits again", false, true, 40},
	};
	for (size_t i = 0; i < sizeof(next) / sizeof(next[0]); i++) {
		uint64_t values[SWEEP_VALUE_COUNT];
		end();
		begin();
		cr_assert(sweep_device(sweep, K, 0, 200, 0) == 0);
		run_to((struct sweep_end){.to_ns = 100, .wait_begin_ns = 40, .exact = true});
		run_to((struct sweep_end){.to_ns = 200,
			.wait_begin_ns = 160,
			.spot = next[i].other ? other : 0,
			.exact = next[i].exact});
		run_to((struct sweep_end){.to_ns = 1000});
		sums(0, 1, values);
		cr_expect(eq(u64, values[CAUSE_IDLE_SYNC], next[i].sync), "%s", next[i].name);
	}
}

/* Of 0 to 100: blocked from 0 to 30, a wait from 60 on, the device works from 20 to 90. */
Test(sweep, what_is_certain_about_the_device)
{
	static const struct {
		const char *name;
		bool measured, exact;
		uint64_t empty_ns, certain, empty, busy;
	} bounds[] = {
		{"it kept the host waiting", false, true, 0, 30 + 40, 0, 0},
		{"it had finished", false, false, 0, 30, 0, 0},
		{"it had nothing to do at first", false, false, 15, 30, 15, 0},
		{"it said what it did", true, true, 15, 70, 30, 70},
	};
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		uint64_t values[SWEEP_VALUE_COUNT];
		end();
		begin();
		cr_assert(host_add(&host, PIECE_BLOCKED, 0, 30, 0) == 0);
		cr_assert(host_add(&host, PIECE_WAIT, 60, 100, 0) == 0);
		cr_assert(sweep_device(sweep, K, 20, 90, 0) == 0);
		run_to((struct sweep_end){.to_ns = 100,
			.wait_begin_ns = 60,
			.exact = bounds[i].exact,
			.empty_ns = bounds[i].empty_ns,
			.measured = bounds[i].measured});
		sums(0, 1, values);
		cr_expect(
			eq(u64, values[SWEEP_CERTAIN_NS], bounds[i].certain), "%s", bounds[i].name);
		cr_expect(eq(u64, values[SWEEP_EMPTY_NS], bounds[i].empty), "%s", bounds[i].name);
		cr_expect(eq(u64, values[SWEEP_MEASURED_NS], bounds[i].measured ? 100 : 0), "%s",
			bounds[i].name);
		cr_expect(eq(u64, values[SWEEP_MEASURED_BUSY_NS], bounds[i].busy), "%s",
			bounds[i].name);
	}
}

Test(sweep, time_that_has_been_swept_stays)
{
	uint64_t values[SWEEP_VALUE_COUNT];
	run_to((struct sweep_end){.to_ns = 100});
	run_to((struct sweep_end){.to_ns = 100});
	cr_assert(sweep_device(sweep, K, 0, 90, 0) == 0); /* too late */
	run_to((struct sweep_end){.to_ns = 50});
	sums(0, 1, values);
	cr_expect(eq(u64, values[CAUSE_IDLE_HOST], 100));
	run_to((struct sweep_end){.to_ns = 120});
	sums(0, 1, values);
	cr_expect(eq(u64, values[CAUSE_IDLE_HOST], 120));
	cr_expect(eq(u64, values[CAUSE_DEVICE_COMPUTE], 0));
}
