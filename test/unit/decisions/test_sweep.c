/* SPDX-License-Identifier: MIT */
/*
 * The exclusive account by hand: pieces of the host's time and work of the device are laid
 * down, and every nanosecond has the one cause that the rules give it.
 */
#include "test/unit/decisions/sweeping.h"

#define MOST 8

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

TestSuite(sweep, .init = begin, .fini = end);

#define LAUNCH PIECE_LAUNCH

/* Each fills 0 to 100. */
static const struct sweep_case cases[] = {
	{.name = "nothing at all", .causes = {[CAUSE_IDLE_HOST] = 100}},
	{.name = "a pause of join_ns is launching, a longer one is not",
		.pieces = {P(0, 10, LAUNCH), P(20, 30, PIECE_ALLOC), P(41, 100, LAUNCH)},
		.causes = {[CAUSE_IDLE_LAUNCH] = 10 + 10 + 59,
			[CAUSE_IDLE_ALLOC] = 10,
			[CAUSE_IDLE_HOST] = 11}},
	{.name = "why the device is idle",
		.pieces = {P(0, 20, PIECE_INPUT), P(20, 50, PIECE_ALLOC), P(50, 60, LAUNCH),
			P(60, 65, PIECE_COPY), P(65, 100, PIECE_WAIT)},
		.causes = {[CAUSE_IDLE_INPUT] = 20,
			[CAUSE_IDLE_ALLOC] = 30,
			[CAUSE_IDLE_LAUNCH] = 10 + 5,
			[CAUSE_IDLE_SYNC] = 35}},
	{.name = "what else the host does meanwhile",
		.pieces = {P(0, 20, PIECE_HOST), P(20, 35, PIECE_GC), P(35, 60, PIECE_GIL),
			P(60, 100, PIECE_STALL)},
		.causes = {[CAUSE_IDLE_HOST] = 20,
			[CAUSE_IDLE_GC] = 15,
			[CAUSE_IDLE_GIL] = 25,
			[CAUSE_IDLE_BLOCKED] = 40}},
	{.name = "a full queue means that the device works",
		.pieces = {P(0, 60, PIECE_BLOCKED), P(60, 100, LAUNCH)},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 60, [CAUSE_IDLE_LAUNCH] = 40}},
	{.name = "unless the device says that it did not",
		.pieces = {P(0, 60, PIECE_BLOCKED), P(60, 100, LAUNCH)},
		.measured = true,
		.causes = {[CAUSE_IDLE_LAUNCH] = 100}},
	{.name = "computing wins over communication over copies over idle time",
		.pieces = {P(0, 100, LAUNCH)},
		.work = {{C, 10, 70, 0}, {N, 20, 60, 0}, {K, 30, 50, 0}},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 20,
			[CAUSE_DEVICE_COMM] = 20,
			[CAUSE_DEVICE_COPY] = 20,
			[CAUSE_IDLE_LAUNCH] = 40}},
	{.name = "in whatever order they begin and end",
		.pieces = {P(0, 100, PIECE_INPUT)},
		.work = {{K, 0, 10, 0}, {C, 5, 15, 0}, {N, 12, 30, 0}, {K, 25, 40, 0},
			{C, 35, 60, 0}},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 10 + 15,
			[CAUSE_DEVICE_COMM] = 13,
			[CAUSE_DEVICE_COPY] = 2 + 20,
			[CAUSE_IDLE_INPUT] = 40}},
	{.name = "work at the same time counts once",
		.pieces = {P(0, 100, LAUNCH)},
		.work = {{K, 0, 30, 0}, {K, 10, 20, 0}, {K, 15, 40, 0}, {K, 40, 41, 0}},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 41, [CAUSE_IDLE_LAUNCH] = 59}},
	{.name = "work that reaches over the end counts up to it",
		.pieces = {P(0, 100, LAUNCH)},
		.work = {{K, 90, 150, 0}, {C, 95, 200, 0}},
		.causes = {[CAUSE_DEVICE_COMPUTE] = 10, [CAUSE_IDLE_LAUNCH] = 90}},
	{.name = "a copy beside the host's work hides none of it twice",
		.pieces = {P(0, 50, PIECE_INPUT), P(50, 100, PIECE_ALLOC)},
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
					one->pieces[j].end, one->pieces[j].spot, 0),
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

/* A launch took long while the device had nothing to do: it did not wait for room in a queue. */
Test(sweep, a_long_launch_beside_an_idle_device_is_launching)
{
	uint64_t values[SWEEP_VALUE_COUNT];
	cr_assert(eq(int, host_add(&host, PIECE_BLOCKED, 0, 60, 0, 0), 0));
	cr_assert(eq(int, host_add(&host, PIECE_LAUNCH, 60, 100, 0, 0), 0));
	cr_assert(eq(int, sweep_device(sweep, K, 20, 40, 0), 0));
	run_to((struct sweep_end){.to_ns = 100, .measured = true});
	sums(0, 1, values);
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_BLOCKED], 20));
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_LAUNCH], 80));
	cr_expect(eq(u64, values[CAUSE_IDLE_LAUNCH], 80));
	end();
	begin();
	cr_assert(eq(int, host_add(&host, PIECE_BLOCKED, 0, 60, 0, 0), 0));
	cr_assert(eq(int, host_add(&host, PIECE_LAUNCH, 60, 100, 0, 0), 0));
	run_to((struct sweep_end){.to_ns = 100});
	sums(0, 1, values);
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_BLOCKED], 60), "nobody has measured");
	cr_expect(eq(u64, values[SWEEP_PIECES + PIECE_LAUNCH], 40));
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
		[PIECE_SETUP] = CAUSE_IDLE_HOST,
		[PIECE_INPUT] = CAUSE_IDLE_INPUT,
		[PIECE_HOST] = CAUSE_IDLE_HOST,
		[PIECE_GC] = CAUSE_IDLE_GC,
		[PIECE_GIL] = CAUSE_IDLE_GIL,
		[PIECE_STALL] = CAUSE_IDLE_BLOCKED};
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
					  pieces[piece_count - 1].begin, at, 0, 0) == 0);
		}
		uint64_t until = pieces[piece_count - 1].end;
		mark(work, 40, pieces, piece_count, until, marked);
		for (uint64_t cut = 1; cut <= 5; cut++)
			cr_assert(sweep_cut(sweep, cut * 250 + round, CUT_STEP));
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
