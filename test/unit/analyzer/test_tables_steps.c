/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/sums/trace.h"
#include "analyzer/tables/tables.h"
#include "test/unit/analyzer/tables_cell.h"

enum {
	LOADER = NAMES_MANY + 1000, /* see text_of() */
	OPTIMIZER,
	BACKWARD,
	WORK,
};

static const char *text_of(const void *context, uint32_t id)
{
	(void)context;
	return id == LOADER      ? "enumerate(DataLoader)#_Single.__next__"
	       : id == OPTIMIZER ? "Optimizer.step#SGD.step"
	       : id == BACKWARD  ? "backward"
				 : "op";
}

static const struct lookup lookup = {.text = text_of};
static struct tables *tables;

static void set_up(void)
{
	tables = tables_new();
	tables_know(tables, &lookup);
}

static void tear_down(void)
{
	tables_free(tables);
}

TestSuite(tables_steps, .init = set_up, .fini = tear_down);

static void op(uint32_t name, uint64_t begin_ns, uint64_t end_ns)
{
	bool own = name == LOADER || name == OPTIMIZER;
	const struct record record = {.kind = RECORD_OP,
		.name = name,
		.c = record_bits_OP_scope(own ? OP_USER_SCOPE : OP_FUNCTION),
		.begin = begin_ns,
		.end = end_ns};
	cr_assert(eq(int, tables_op(tables, 1, &record, true), 0));
}

/* A step of 100 and what it is longer: 20 loading, 25 forward, 30 backward, 10 optimizer. */
static uint64_t train(uint64_t step, uint64_t begin_ns, uint64_t more_ns)
{
	op(LOADER, begin_ns + 2, begin_ns + 22);
	op(WORK, begin_ns + 25, begin_ns + 30);
	op(BACKWARD, begin_ns + 50, begin_ns + 80);
	op(OPTIMIZER, begin_ns + 85, begin_ns + 95);
	tables_end_step(tables, step, begin_ns, begin_ns + 100 + more_ns);
	return begin_ns + 100 + more_ns;
}

static struct tables_cell of(
	enum tables_id id, size_t row, const char *column, uint64_t warmup, size_t *ret_rows)
{
	struct tables_source source = names_source(tables);
	struct tables_cell found = {0};
	struct tables_view view;
	source.warmup = warmup;
	cr_assert(eq(int, tables_view_init(&view, &source, id), 0));
	*ret_rows = view.rows;
	for (size_t i = 0; i < view.column_count && row < view.rows; i++)
		if (strcmp(view.columns[i].name, column) == 0)
			found = *tables_cell(&view, row, i);
	tables_view_release(&view);
	return found;
}

static uint64_t cost(size_t row, const char *column, uint64_t warmup)
{
	size_t rows;
	struct tables_cell found = of(TABLES_PERF_SUMMARY, row, column, warmup, &rows);
	cr_assert(lt(sz, row, rows));
	cr_expect(found.known, "%s", column);
	return found.number;
}

Test(tables_steps, a_step_is_its_interval_its_passes_and_its_tail)
{
	uint64_t at_ns = 1000;
	for (uint64_t step = 0; step < 5; step++)
		at_ns = train(step, at_ns, step);
	cr_assert(eq(int, tables_finish(tables), 0));
	cr_assert(eq(sz, row_count(tables, TABLES_STEP_TRACE), 5));
	for (size_t row = 0; row < 5; row++) {
		NUMBER(STEP_TRACE, row, "step", row);
		NUMBER(STEP_TRACE, row, "total_ns", 100 + row);
		NUMBER(STEP_TRACE, row, "interval_ns", 25);
		NUMBER(STEP_TRACE, row, "forward_backward_ns", 55);
		NUMBER(STEP_TRACE, row, "tail_ns", 20 + row);
		NUMBER(STEP_TRACE, row, "loading_ns", 20);
		NUMBER(STEP_TRACE, row, "forward_ns", 25);
		NUMBER(STEP_TRACE, row, "backward_ns", 30);
		NUMBER(STEP_TRACE, row, "optimizer_ns", 10);
		UNKNOWN(STEP_TRACE, row, "device_ns");
	}
	NUMBER(STEP_TRACE, 1, "begin_ns", 100);
}

Test(tables_steps, the_devices_work_is_of_the_step_that_asked_for_it)
{
	const struct record call = {.kind = RECORD_LAUNCH, .begin = 1010, .end = 1011};
	const struct record ran = {.kind = RECORD_DEVICE_KERNEL, .begin = 5000, .end = 5040};
	(void)train(1, 1100, 0);
	cr_assert(eq(int, tables_device(tables, &ran), 0));
	tables_step(tables, 1, 1);
	cr_assert(eq(int, tables_work(tables, 1, &call, &ran), 0));
	cr_assert(eq(int, tables_work(tables, 1, &call, &ran), 0));
	cr_assert(eq(int, tables_finish(tables), 0));
	NUMBER(STEP_TRACE, 0, "device_ns", 80);
	NUMBER(STEP_TRACE, 0, "communication_ns", 0);
}

/* A published summary divides eleven steps by ten, and so has an average above its maximum. */
Test(tables_steps, costs_are_divided_by_as_many_steps_as_were_added)
{
	uint64_t at_ns = 1000;
	for (uint64_t step = 0; step < 20; step++)
		at_ns = train(step, at_ns, step < 10 ? 5000 : step == 10 ? 0 : 2 * step);
	cr_assert(eq(int, tables_finish(tables), 0));
	cr_expect(eq(u64, cost(0, "count", 10), 10));
	cr_expect(eq(u64, cost(0, "total_ns", 10), 1000 + 2 * (11 + 19) * 9 / 2));
	cr_expect(eq(u64, cost(0, "avg_ns", 10), 127));
	cr_expect(eq(u64, cost(0, "min_ns", 10), 100)); /* the first one, too */
	cr_expect(eq(u64, cost(0, "max_ns", 10), 138));
	cr_expect(eq(u64, cost(1, "avg_ns", 10), 20));
	cr_expect(eq(u64, cost(1, "ratio_pct", 10), 157)); /* 200 of 1270 */
	cr_expect(eq(u64, cost(0, "avg_per_s", 10), 7874015748031ull / 1000));
	cr_expect(eq(u64, cost(0, "min_per_s", 10), 7246376812ull));
	cr_expect(eq(u64, cost(0, "max_per_s", 10), 10000000000ull));
	for (size_t row = 0; row < 2; row++) {
		cr_expect(le(u64, cost(row, "min_ns", 10), cost(row, "avg_ns", 10)));
		cr_expect(le(u64, cost(row, "avg_ns", 10), cost(row, "max_ns", 10)));
	}
}

Test(tables_steps, without_steps_or_a_loader_there_are_no_costs)
{
	size_t rows;
	(void)of(TABLES_PERF_SUMMARY, 0, "avg_ns", 0, &rows);
	cr_expect(eq(sz, rows, 0));
	cr_expect(eq(sz, row_count(tables, TABLES_STEP_TRACE), 0));
	tables_end_step(tables, 0, 1000, 1100);
	cr_assert(eq(int, tables_finish(tables), 0));
	(void)of(TABLES_PERF_SUMMARY, 0, "avg_ns", 0, &rows);
	cr_expect(eq(sz, rows, 1));
	(void)of(TABLES_PERF_SUMMARY, 0, "avg_ns", 1, &rows); /* all of it is warm-up */
	cr_expect(eq(sz, rows, 0));
	UNKNOWN(STEP_TRACE, 0, "interval_ns");
	UNKNOWN(STEP_TRACE, 0, "loading_ns");
	NUMBER(STEP_TRACE, 0, "total_ns", 100);
}

Test(tables_steps, steps_that_are_others_after_all_are_told_again)
{
	(void)train(0, 1000, 0);
	(void)train(1, 1100, 0);
	tables_restart(tables, false);
	tables_end_step(tables, 0, 1000, 1200);
	cr_assert(eq(int, tables_finish(tables), 0));
	cr_assert(eq(sz, row_count(tables, TABLES_STEP_TRACE), 1));
	NUMBER(STEP_TRACE, 0, "loading_ns", 40);
	NUMBER(STEP_TRACE, 0, "interval_ns", 25);
	NUMBER(STEP_TRACE, 0, "tail_ns", 20);
}

Test(tables_steps, of_very_many_the_rest_is_counted)
{
	for (uint64_t step = 0; step < TRACE_STEPS + 10; step++)
		tables_end_step(tables, step, 10 * step, 10 * step + 10);
	cr_assert(eq(int, tables_finish(tables), 0));
	cr_assert(eq(sz, row_count(tables, TABLES_STEP_TRACE), TRACE_STEPS + 1));
	UNKNOWN(STEP_TRACE, TRACE_STEPS, "step");
	NUMBER(STEP_TRACE, TRACE_STEPS, "steps", 10);
	NUMBER(STEP_TRACE, TRACE_STEPS, "total_ns", 100);
}
