/* SPDX-License-Identifier: MIT */
/* Work of the device for stretches of threads, and the table of ranges that rests on it. */
#include "analyzer/projection/projection.h"
#include "analyzer/tables/feed.h"
#include "analyzer/tables/tables.h"
#include "test/unit/analyzer/tables_cell.h"

Test(projection, has_the_calls_of_the_stretch_in_any_order_of_their_work)
{
	struct projection projection = {0};
	cr_assert(eq(int, projection_add(&projection, 1, 300, 900, 950), 0));
	cr_assert(eq(int, projection_add(&projection, 1, 100, 400, 500), 0));
	cr_assert(eq(int, projection_add(&projection, 1, 200, 500, 600), 0));
	cr_assert(eq(int, projection_add(&projection, 1, 200, 550, 650), 0)); /* of one graph */
	cr_assert(eq(int, projection_add(&projection, 2, 200, 1, 9000), 0));
	struct projection_sum sum = projection_of(&projection, 1, 100, 299);
	cr_expect(eq(u64, sum.operations, 3));
	cr_expect(eq(u64, sum.device_ns, 300));
	cr_expect(eq(u64, sum.first_ns, 400));
	cr_expect(eq(u64, sum.last_ns, 650));
	cr_expect(eq(u64, projection_of(&projection, 1, 101, 199).operations, 0));
	cr_expect(eq(u64, projection_of(&projection, 3, 0, 1000).operations, 0));
	projection_release(&projection);
}

Test(projection, threads_that_run_parts_for_others_count_for_the_one_that_does_most)
{
	struct projection projection = {0};
	for (int i = 0; i < 9; i++)
		cr_assert(eq(int, projection_weigh(&projection, 1, PROJECTION_WORKS), 0));
	cr_assert(eq(int, projection_weigh(&projection, 2, PROJECTION_MARKS), 0));
	for (int i = 0; i < 99; i++)
		cr_assert(eq(int, projection_weigh(&projection, 3, PROJECTION_RUNS_PARTS), 0));
	cr_assert(eq(int, projection_add(&projection, 3, 500, 600, 700), 0));
	cr_expect(eq(u64, projection_of(&projection, 1, 400, 800).operations, 1));
	cr_expect(eq(u64, projection_of(&projection, 2, 400, 800).operations, 0));
	/* on the CPU the same thread runs them, and marks ranges */
	cr_assert(eq(int, projection_weigh(&projection, 3, PROJECTION_MARKS), 0));
	cr_expect(eq(u64, projection_of(&projection, 1, 400, 800).operations, 0));
	projection_release(&projection);
}

Test(projection, of_very_many_calls_only_the_begin_is_inexact)
{
	enum {
		CALLS = 5 * PROJECTION_KEPT
	};
	struct projection projection = {0};
	for (uint64_t i = 0; i < CALLS; i++)
		cr_assert(projection_add(&projection, 1, 10 * i, 10 * i, 10 * i + 3) == 0);
	struct projection_sum all = projection_of(&projection, 1, 0, 10 * CALLS);
	cr_expect(eq(u64, all.operations, CALLS));
	cr_expect(eq(u64, all.device_ns, 3ull * CALLS));
	struct projection_sum half = projection_of(&projection, 1, 5 * CALLS, 10 * CALLS);
	cr_expect(le(u64, half.operations, CALLS / 2 + CALLS / 100));
	cr_expect(ge(u64, half.operations, CALLS / 2 - CALLS / 100));
	projection_release(&projection);
}

static void mark(struct tables *tables, uint64_t begin_ns, uint64_t end_ns, uint32_t flags)
{
	const struct record range = {.kind = RECORD_RANGE,
		.name = NAMES_MANY,
		.a = NAMES_KERNEL,
		.begin = begin_ns,
		.end = end_ns,
		.d = flags};
	cr_assert(eq(int, tables_range(tables, 1, &range), 0));
}

static void work(struct tables *tables, uint64_t call_ns, uint64_t begin_ns, uint64_t end_ns)
{
	const struct record call = {.kind = RECORD_LAUNCH, .begin = call_ns, .end = call_ns + 5},
			    kernel = {
				    .kind = RECORD_DEVICE_KERNEL, .begin = begin_ns, .end = end_ns};
	cr_assert(eq(int, tables_device(tables, &kernel), 0));
	cr_assert(eq(int, tables_work(tables, 1, &call, &kernel), 0));
}

Test(tables_program, ranges_have_the_work_inside_though_it_is_told_later)
{
	struct tables *tables = tables_new();
	mark(tables, 100, 200, 0);
	mark(tables, 300, 310, RANGE_STARTED);
	mark(tables, 400, 400, RANGE_MARK); /* an instant is no range */
	mark(tables, 90, 500, 0);
	work(tables, 310, 1300, 1310); /* began when it ended */
	work(tables, 120, 1000, 1100);
	work(tables, 150, 1150, 1200);
	cr_assert(eq(int, tables_finish(tables), 0));
	NUMBER(RANGES, 0, "count", 3);
	NUMBER(RANGES, 0, "total_ns", 100 + 10 + 410);
	NUMBER(RANGES, 0, "device_ns", 150 + 10 + 160);
	NUMBER(RANGES, 0, "device_span_ns", 200 + 10 + 310);
	NUMBER(RANGES, 0, "device_span_max_ns", 310);
	cr_expect(eq(sz, row_count(tables, TABLES_RANGES), 1));
	tables_free(tables);
}

/* A call of a module, NAMES_MANY below NAMES_KERNEL. */
static void module(struct tables *tables, uint32_t name, uint64_t begin_ns, uint64_t end_ns)
{
	const struct record call = {.kind = RECORD_RANGE,
		.name = name,
		.a = NAMES_KERNEL,
		.begin = begin_ns,
		.end = end_ns,
		.d = RANGE_MODULE};
	cr_assert(eq(int, tables_range(tables, 1, &call), 0));
}

Test(tables_program, modules_have_what_is_theirs_without_those_inside)
{
	struct tables *tables = tables_new();
	for (uint64_t at = 1000; at < 4000; at += 1000) {
		module(tables, NAMES_MANY, at + 100, at + 200);
		module(tables, NAMES_MANY, at + 300, at + 350);
		module(tables, NAMES_KERNEL, at + 50, at + 400); /* around both */
		work(tables, at + 150, at + 160, at + 190);
		work(tables, at + 320, at + 330, at + 340);
		work(tables, at + 360, at + 600, at + 605);
		work(tables, at + 450, at + 700, at + 750); /* of none */
	}
	cr_assert(eq(int, tables_finish(tables), 0));
	static const struct {
		uint64_t self_ns, total_ns, count, device_self_ns, device_ns;
	} rows[] = {{600, 1050, 3, 15, 135}, {450, 450, 6, 120, 120}};
	for (size_t i = 0; i < 2; i++) {
		NUMBER(MODULES, i, "self_ns", rows[i].self_ns);
		NUMBER(MODULES, i, "total_ns", rows[i].total_ns);
		NUMBER(MODULES, i, "count", rows[i].count);
		NUMBER(MODULES, i, "device_self_ns", rows[i].device_self_ns);
		NUMBER(MODULES, i, "device_ns", rows[i].device_ns);
	}
	cr_expect(eq(sz, row_count(tables, TABLES_RANGES), 0));
	tables_free(tables);
}

static void stage(
	struct tables *tables, uint32_t name, uint32_t scope, uint64_t begin_ns, uint64_t end_ns)
{
	struct record op = {
		.kind = RECORD_OP, .name = name, .begin = begin_ns, .end = end_ns, .c = scope};
	cr_assert(eq(int, tables_op(tables, 1, &op, true), 0));
}

static const char *text_of_stage(const void *context, uint32_t id)
{
	static const char *const names[] = {"", "enumerate(DataLoader)#it",
		"Optimizer.zero_grad#SGD", "autograd::engine::evaluate_function: Mm",
		"Optimizer.step#SGD.step", "aten::mm"};
	(void)context;
	return names[id];
}

Test(tables_program, phases_add_up_to_the_time_of_the_thread)
{
	struct tables *tables = tables_new();
	const struct lookup lookup = {.text = text_of_stage};
	tables_know(tables, &lookup);
	for (uint64_t at = 1000; at < 5000; at += 1000) {
		stage(tables, 1, OP_USER_SCOPE, at, at + 100);
		stage(tables, 5, OP_FUNCTION, at + 110, at + 120);
		stage(tables, 2, OP_USER_SCOPE, at + 200, at + 250);
		stage(tables, 3, OP_FUNCTION, at + 400, at + 700);
		stage(tables, 4, OP_USER_SCOPE, at + 720, at + 900);
		work(tables, at + 115, at + 300, at + 330); /* forward */
		work(tables, at + 210, at + 330, at + 340); /* zeroing */
		work(tables, at + 500, at + 600, at + 650); /* backward */
		work(tables, at + 950, at + 960, at + 965); /* none of them */
	}
	cr_assert(eq(int, tables_finish(tables), 0));
	/* from 1000 to 4900: 4 of each; the last work of all lies behind */
	static const struct {
		const char *phase;
		uint64_t host_ns, device_ns, pct;
	} rows[] = {{"backward", 1200, 200, 308}, {"forward", 960, 120, 246},
		{"optimizer", 720, 0, 185}, {"other", 420, 15, 108}, {"loading", 400, 0, 103},
		{"zero_grad", 200, 40, 51}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect(eq(str, (char *)cell(tables, TABLES_STEP_PHASES, i, "phase").text,
			(char *)rows[i].phase));
		NUMBER(STEP_PHASES, i, "total_ns", rows[i].host_ns);
		NUMBER(STEP_PHASES, i, "device_ns", rows[i].device_ns);
		NUMBER(STEP_PHASES, i, "time_pct", rows[i].pct);
	}
	cr_expect(eq(sz, row_count(tables, TABLES_STEP_PHASES), 6));
	NUMBER(STEP_PHASES, 1, "count", 4);
	NUMBER(STEP_PHASES, 1, "max_ns", 240);
	tables_free(tables);
}

Test(tables_program, more_ranges_than_wait_are_all_counted)
{
	struct tables *tables = tables_new();
	for (uint64_t i = 0; i < 3ull * RANGES_PENDING; i++) {
		work(tables, 100 * i + 10, 100 * i + 20, 100 * i + 50);
		mark(tables, 100 * i, 100 * i + 60, 0);
	}
	cr_assert(eq(int, tables_finish(tables), 0));
	NUMBER(RANGES, 0, "count", 3 * RANGES_PENDING);
	NUMBER(RANGES, 0, "device_ns", 30ull * 3 * RANGES_PENDING);
	tables_free(tables);
}
