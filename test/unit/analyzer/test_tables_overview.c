/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/tables.h"
#include "test/unit/analyzer/tables_cell.h"

static struct tables *tables;
static struct tables_source source;

static void set_up(void)
{
	tables = tables_new();
	source = names_source(tables);
	tables_know(tables, source.lookup);
}

static void tear_down(void)
{
	tables_free(tables);
}

TestSuite(tables_overview, .init = set_up, .fini = tear_down);

static void op(uint32_t thread, uint32_t scope, uint64_t begin_ns, uint64_t end_ns)
{
	const struct record record = {.kind = RECORD_OP,
		.name = NAMES_KERNEL,
		.c = record_bits_OP_scope(scope),
		.begin = begin_ns,
		.end = end_ns};
	cr_assert(eq(int, tables_op(tables, thread, &record, true), 0));
}

static void call(enum record_kind kind, uint64_t begin_ns, uint64_t end_ns)
{
	const struct record record = {
		.kind = kind, .call = NAMES_LAUNCH, .begin = begin_ns, .end = end_ns};
	cr_assert(eq(int, tables_call(tables, &record), 0));
}

static void kernel(uint32_t name, uint32_t device, uint64_t begin_ns, uint64_t end_ns)
{
	const struct record record = {.kind = RECORD_DEVICE_KERNEL,
		.name = name,
		.b = record_bits_device(device),
		.begin = begin_ns,
		.end = end_ns};
	cr_assert(eq(int, tables_device(tables, &record), 0));
}

/* The row of a part of either table, for a device or of all. */
static size_t row_named(enum tables_id id, const char *name, size_t from)
{
	for (size_t row = from; row < row_count(tables, id); row++)
		if (strcmp(cell(tables, id, row, "name").text, name) == 0)
			return row;
	cr_assert(false, "no row %s", name);
	return 0;
}

#define OVERVIEW_IS(what, column, wanted)                                                          \
	NUMBER(OVERVIEW, row_named(TABLES_OVERVIEW, what, 0), column, wanted)
#define SHARE_IS(what, column, wanted)                                                             \
	NUMBER(DISTRIBUTION, row_named(TABLES_DISTRIBUTION, what, 0), column, wanted)

Test(tables_overview, what_lies_inside_or_beside_counts_once)
{
	op(1, OP_FUNCTION, 110, 150);
	op(2, OP_FUNCTION, 140, 190); /* at the same time */
	op(1, OP_FUNCTION, 100, 200); /* around both */
	op(1, OP_FUNCTION, 300, 310);
	op(1, OP_USER_SCOPE, 100, 600); /* the program's own is no operator */
	OVERVIEW_IS("operators", "count", 4);
	OVERVIEW_IS("operators", "total_ns", 40 + 50 + 100 + 10);
	OVERVIEW_IS("operators", "busy_ns", 100 + 10);
	OVERVIEW_IS("operators", "span_ns", 500);
	OVERVIEW_IS("operators", "busy_pct", 220);
	OVERVIEW_IS("ranges", "busy_pct", 1000);
}

Test(tables_overview, more_streams_than_one_make_no_more_than_all_of_the_time)
{
	for (uint64_t i = 0; i < 100; i++)
		kernel(NAMES_KERNEL, 0, 100 * i, 100 * i + 300);
	OVERVIEW_IS("kernels", "total_ns", 30000); /* three times the time that there was */
	OVERVIEW_IS("kernels", "busy_ns", 10200);
	OVERVIEW_IS("kernels", "busy_pct", 1000);
	SHARE_IS("computation", "total_ns", 10200);
	SHARE_IS("neither", "total_ns", 0);
}

Test(tables_overview, a_kernel_over_all_the_time_leaves_the_hosts_share_alone)
{
	kernel(NAMES_KERNEL, 0, 0, 1000);
	call(RECORD_LAUNCH, 0, 10);
	call(RECORD_SYNC, 10, 900);
	call(RECORD_LAUNCH, 950, 1000);
	OVERVIEW_IS("calls", "busy_ns", 950);
	OVERVIEW_IS("calls", "count", 3);
	OVERVIEW_IS("sync calls", "busy_ns", 890);
	OVERVIEW_IS("sync calls", "busy_pct", 890);
	OVERVIEW_IS("kernels", "busy_pct", 1000);
}

Test(tables_overview, communication_is_split_into_hidden_and_exposed)
{
	kernel(NAMES_KERNEL, 0, 0, 400);
	kernel(NAMES_COMM, 0, 300, 600);
	kernel(NAMES_COMM, 0, 500, 650); /* on another stream: of both 50 count once */
	kernel(NAMES_KERNEL, 0, 800, 1000);
	SHARE_IS("computation", "total_ns", 600);
	SHARE_IS("computation", "count", 2);
	SHARE_IS("communication", "total_ns", 350);
	SHARE_IS("communication", "count", 2);
	SHARE_IS("overlap", "total_ns", 100);
	SHARE_IS("exposed communication", "total_ns", 250);
	SHARE_IS("neither", "total_ns", 150);
	SHARE_IS("computation", "time_pct", 600);
	SHARE_IS("exposed communication", "time_pct", 250);
	SHARE_IS("neither", "time_pct", 150);
	OVERVIEW_IS("kernels", "count", 4);
	OVERVIEW_IS("communication kernels", "busy_ns", 350);
}

Test(tables_overview, each_device_has_a_distribution_of_its_own)
{
	kernel(NAMES_KERNEL, 0, 0, 500);
	kernel(NAMES_COMM, 1, 250, 1000);
	cr_expect(eq(sz, row_count(tables, TABLES_DISTRIBUTION), 10));
	SHARE_IS("computation", "total_ns", 500);
	SHARE_IS("overlap", "total_ns", 0);
	size_t row = row_named(TABLES_DISTRIBUTION, "computation", 5);
	NUMBER(DISTRIBUTION, row, "device", 1);
	NUMBER(DISTRIBUTION, row, "total_ns", 0);
	NUMBER(DISTRIBUTION, row + 1, "total_ns", 750);
	NUMBER(DISTRIBUTION, row + 1, "time_pct", 750);
}

Test(tables_overview, without_times_there_are_no_shares)
{
	const struct record untimed = {
		.kind = RECORD_DEVICE_KERNEL, .result = record_bits_device_flags(DEVICE_NO_TIMES)};
	cr_expect(eq(sz, row_count(tables, TABLES_OVERVIEW), 0));
	cr_expect(eq(sz, row_count(tables, TABLES_DISTRIBUTION), 0));
	cr_assert(eq(int, tables_device(tables, &untimed), 0));
	NUMBER(OVERVIEW, 0, "count", 1);
	NUMBER(OVERVIEW, 0, "busy_ns", 0);
	UNKNOWN(OVERVIEW, 0, "busy_pct");
	cr_expect(eq(sz, row_count(tables, TABLES_DISTRIBUTION), 0));
}
