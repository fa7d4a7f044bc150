/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/tables.h"
#include "test/unit/analyzer/tables_cell.h"

static struct record operator(uint32_t name, uint64_t begin_ns, uint64_t end_ns)
{
	return (struct record){.kind = RECORD_OP,
		.name = name,
		.place = NAMES_PLACE,
		.begin = begin_ns,
		.end = end_ns};
}

Test(tables_program, operators_have_the_time_without_those_inside)
{
	struct tables *tables = tables_new();
	/* by their ends: two inside of a third, on another thread one at the same time */
	const struct {
		uint32_t thread;
		struct record op;
	} ops[] = {{1, operator(NAMES_KERNEL, 10, 30)}, {2, operator(NAMES_KERNEL, 12, 31)},
		{1, operator(NAMES_KERNEL, 40, 60)}, {1, operator(NAMES_MANY, 5, 100)},
		{1, operator(NAMES_MANY, 100, 110)}};
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		cr_assert(eq(int, tables_op(tables, ops[i].thread, &ops[i].op, true), 0));
	NUMBER(OPERATORS, 0, "self_ns", 95 - 40 + 10);
	NUMBER(OPERATORS, 0, "total_ns", 105);
	NUMBER(OPERATORS, 0, "count", 2);
	NUMBER(OPERATORS, 0, "max_ns", 95);
	NUMBER(OPERATORS, 1, "self_ns", 59);
	NUMBER(OPERATORS, 1, "total_ns", 59);
	NUMBER(OPERATORS, 0, "time_pct", 524); /* 65 of 124 */
	cr_expect(eq(sz, row_count(tables, TABLES_OPERATORS), 2));
	tables_free(tables);
}

Test(tables_program, an_operator_around_very_many_others_has_next_to_nothing_itself)
{
	enum {
		INSIDE = 10000
	};
	struct tables *tables = tables_new();
	for (uint64_t i = 0; i < INSIDE; i++) {
		struct record op = operator(NAMES_KERNEL, 1000 + 10 * i, 1010 + 10 * i);
		cr_assert(eq(int, tables_op(tables, 1, &op, true), 0));
	}
	struct record around = operator(NAMES_MANY, 1000 + 10 * (INSIDE / 2), 1010 + 10 * INSIDE);
	cr_assert(eq(int, tables_op(tables, 1, &around, true), 0));
	NUMBER(OPERATORS, 0, "self_ns", 10 * INSIDE);
	cr_expect(le(u64, cell(tables, TABLES_OPERATORS, 1, "self_ns").number, 10 * INSIDE / 40));
	tables_free(tables);
}

Test(tables_program, threads_have_what_they_called_and_gave_the_device)
{
	struct tables *tables = tables_new();
	struct record launch = {
		.kind = RECORD_LAUNCH, .call = NAMES_LAUNCH, .begin = 100, .end = 107};
	struct record sync = {.kind = RECORD_SYNC, .call = NAMES_QUERY, .begin = 110, .end = 140};
	struct record inner = operator(NAMES_KERNEL, 95, 109),
		      outer = operator(NAMES_MANY, 90, 150);
	const struct record ran = {.kind = RECORD_DEVICE_KERNEL, .begin = 200, .end = 250};
	for (uint32_t thread = 5; thread > 3; thread--) {
		tables_step(tables, 1, thread);
		cr_assert(eq(int, tables_call(tables, &launch), 0));
		cr_assert(eq(int, tables_op(tables, thread, &inner, true), 0));
		if (thread == 4)
			cr_assert(eq(int, tables_call(tables, &sync), 0));
		cr_assert(eq(int, tables_op(tables, thread, &outer, true), 0));
		cr_assert(eq(int, tables_work(tables, thread, &launch, &ran), 0));
	}
	UNKNOWN(THREADS, 0, "device_ns");
	cr_assert(eq(int, tables_device(tables, &ran), 0));
	cr_assert(eq(int, tables_work(tables, 4, &launch, &ran), 0));
	cr_assert(eq(sz, row_count(tables, TABLES_THREADS), 2));
	NUMBER(THREADS, 0, "calls", 2); /* by their numbers */
	NUMBER(THREADS, 0, "calls_ns", 37);
	NUMBER(THREADS, 0, "launches", 1);
	NUMBER(THREADS, 0, "sync_ns", 30);
	NUMBER(THREADS, 0, "operators", 2);
	NUMBER(THREADS, 0, "operators_ns", 60); /* one inside of the other: no longer than it */
	NUMBER(THREADS, 0, "operations", 2);
	NUMBER(THREADS, 0, "device_ns", 100);
	NUMBER(THREADS, 1, "calls", 1);
	NUMBER(THREADS, 1, "syncs", 0);
	NUMBER(THREADS, 1, "device_ns", 50);
	UNKNOWN(THREADS, 1, "tid");
	tables_free(tables);
}

Test(tables_program, lines_have_what_they_called_and_what_the_device_did_for_it)
{
	struct tables *tables = tables_new();
	struct tables_source source = names_source(tables);
	tables_know(tables, source.lookup);
	struct record launch = {.kind = RECORD_LAUNCH,
		.call = NAMES_LAUNCH,
		.place = NAMES_PLACE,
		.begin = 100,
		.end = 107};
	struct record sync = launch, other = launch, op = operator(NAMES_KERNEL, 90, 140);
	sync.kind = RECORD_SYNC;
	sync.end = 130;
	other.kind = RECORD_EVENT;
	other.place = 0;
	struct record ran = {.kind = RECORD_DEVICE_KERNEL, .begin = 200, .end = 250};
	cr_assert(eq(int, tables_call(tables, &launch), 0));
	cr_assert(eq(int, tables_call(tables, &sync), 0));
	cr_assert(eq(int, tables_call(tables, &other), 0));
	cr_assert(eq(int, tables_op(tables, 1, &op, true), 0));
	cr_assert(eq(int, tables_pair(tables, &launch, &ran), 0));
	NUMBER(LINES, 0, "calls_ns", 37);
	NUMBER(LINES, 0, "calls", 2);
	NUMBER(LINES, 0, "launches", 1);
	NUMBER(LINES, 0, "launch_ns", 7);
	NUMBER(LINES, 0, "syncs", 1);
	NUMBER(LINES, 0, "sync_ns", 30);
	NUMBER(LINES, 0, "copies", 0);
	NUMBER(LINES, 0, "operators_ns", 50);
	NUMBER(LINES, 0, "device_ns", 50);
	NUMBER(LINES, 0, "line", 30);
	TEXT(LINES, 0, "file", "train.py");
	UNKNOWN(LINES, 1, "line");
	UNKNOWN(LINES, 1, "file");
	TEXT(LINES, 1, "place", "(no line known)");
	NUMBER(LINES, 1, "calls_ns", 7);
	tables_free(tables);
}
