/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/sums/around.h"
#include "analyzer/tables/tables.h"
#include "test/unit/analyzer/tables_cell.h"

enum {
	A = NAMES_MANY,
	B,
	C,
};

static struct tables *tables;

static void set_up(void)
{
	tables = tables_new();
}

static void tear_down(void)
{
	tables_free(tables);
}

TestSuite(tables_beneath, .init = set_up, .fini = tear_down);

static void op(uint32_t thread, uint32_t name, uint64_t begin_ns, uint64_t end_ns)
{
	const struct record record = {
		.kind = RECORD_OP, .name = name, .begin = begin_ns, .end = end_ns};
	cr_assert(eq(int, tables_op(tables, thread, &record, true), 0));
}

/* A call at a time, and what the device did for it much later. */
static void work(uint32_t thread, uint32_t kernel, uint64_t call_ns, uint64_t ns)
{
	const struct record call = {
		.kind = RECORD_LAUNCH, .call = NAMES_LAUNCH, .begin = call_ns, .end = call_ns + 1};
	const struct record ran = {.kind = RECORD_DEVICE_KERNEL,
		.name = kernel,
		.begin = 1000000 + call_ns,
		.end = 1000000 + call_ns + ns};
	cr_assert(eq(int, tables_device(tables, &ran), 0));
	cr_assert(eq(int, tables_work(tables, thread, &call, &ran), 0));
}

static uint64_t device_of(uint32_t name, const char *column)
{
	char wanted[16];
	(void)snprintf(wanted, sizeof(wanted), "kernel_%u", name);
	for (size_t row = 0; row < row_count(tables, TABLES_OPERATORS); row++)
		if (strcmp(cell(tables, TABLES_OPERATORS, row, "name").text, wanted) == 0)
			return cell(tables, TABLES_OPERATORS, row, column).number;
	cr_assert(false, "no row %s", wanted);
	return 0;
}

#define DEVICE_IS(name, column, wanted) cr_expect(eq(u64, device_of(name, column), wanted))

Test(tables_beneath, work_belongs_to_the_innermost_operator_and_to_those_around_it)
{
	op(1, B, 20, 50);
	op(2, C, 25, 35); /* another thread's */
	op(1, A, 0, 100);
	op(1, B, 100, 120);
	work(1, NAMES_KERNEL, 30, 7);
	work(1, NAMES_KERNEL, 10, 5);
	work(1, NAMES_KERNEL, 60, 11);
	work(1, NAMES_KERNEL, 100, 3);
	work(2, NAMES_KERNEL, 30, 13);
	work(1, NAMES_KERNEL, 130, 17); /* in none */
	cr_assert(eq(int, tables_finish(tables), 0));
	DEVICE_IS(A, "device_self_ns", 16);
	DEVICE_IS(A, "device_ns", 23);
	DEVICE_IS(B, "device_self_ns", 10);
	DEVICE_IS(B, "device_ns", 10);
	DEVICE_IS(B, "device_max_ns", 7);
	DEVICE_IS(B, "device_min_ns", 3);
	DEVICE_IS(B, "device_avg_ns", 5);
	DEVICE_IS(C, "device_ns", 13);
}

Test(tables_beneath, operators_that_end_after_their_work_was_told_get_it)
{
	work(1, NAMES_KERNEL, 10, 5);
	op(1, B, 20, 50);
	work(1, NAMES_KERNEL, 30, 7);
	op(1, A, 0, 100);
	cr_assert(eq(int, tables_finish(tables), 0));
	DEVICE_IS(A, "device_self_ns", 5);
	DEVICE_IS(A, "device_ns", 12);
	DEVICE_IS(B, "device_self_ns", 7);
	cr_expect(eq(sz, row_count(tables, TABLES_OPERATOR_KERNELS), 2));
}

Test(tables_beneath, kernels_stand_under_their_operators_the_dearest_first)
{
	for (uint64_t at = 0; at < 1000; at += 100) {
		op(1, B, at + 20, at + 50);
		op(1, A, at, at + 90);
		work(1, NAMES_KERNEL, at + 25, 6);
		work(1, NAMES_LONG, at + 30, 4);
		work(1, NAMES_KERNEL, at + 60, 9);
		work(1, NAMES_KERNEL_TWIN, at + 95, 1);
	}
	cr_assert(eq(int, tables_finish(tables), 0));
	cr_assert(eq(sz, row_count(tables, TABLES_OPERATOR_KERNELS), 4));
	TEXT(OPERATOR_KERNELS, 0, "operator", "kernel_101");
	TEXT(OPERATOR_KERNELS, 0, "name", "relu");
	NUMBER(OPERATOR_KERNELS, 0, "total_ns", 60);
	NUMBER(OPERATOR_KERNELS, 0, "operator_pct", 600);
	NUMBER(OPERATOR_KERNELS, 0, "time_pct", 300);
	NUMBER(OPERATOR_KERNELS, 1, "operator_pct", 400);
	TEXT(OPERATOR_KERNELS, 2, "operator", "kernel_100");
	NUMBER(OPERATOR_KERNELS, 2, "total_ns", 90);
	NUMBER(OPERATOR_KERNELS, 2, "count", 10);
	NUMBER(OPERATOR_KERNELS, 2, "operator_pct", 1000);
	TEXT(OPERATOR_KERNELS, 3, "operator", "(no operator)");
	NUMBER(OPERATOR_KERNELS, 3, "time_pct", 50);
	DEVICE_IS(B, "device_self_ns", 100);
	DEVICE_IS(A, "device_ns", 190);
}

Test(tables_beneath, an_operator_around_more_than_is_kept_has_all_of_its_work)
{
	const uint64_t inside = 3 * AROUND_KEPT;
	for (uint64_t i = 1; i <= inside; i++) {
		op(1, B, 10 * i, 10 * i + 5);
		work(1, NAMES_KERNEL, 10 * i + 1, 3);
	}
	op(1, A, 5, 10 * inside + 10);
	cr_assert(eq(int, tables_finish(tables), 0));
	DEVICE_IS(A, "device_ns", 3 * inside);
	DEVICE_IS(A, "device_self_ns", 0);
	DEVICE_IS(B, "device_self_ns", 3 * inside);
}

Test(tables_beneath, what_is_told_too_late_is_nobodys)
{
	for (uint64_t i = 1; i <= 2 * AROUND_KEPT; i++)
		op(1, B, 10 * i, 10 * i + 5);
	work(1, NAMES_KERNEL, 11, 3);
	cr_assert(eq(int, tables_finish(tables), 0));
	TEXT(OPERATOR_KERNELS, 0, "operator", "(operator not known)");
	DEVICE_IS(B, "device_self_ns", 0);
}

Test(tables_beneath, work_of_steps_without_operators_is_left_out)
{
	cr_assert(eq(int, tables_cover(tables, 0, true), 0));
	op(1, A, 0, 100);
	cr_assert(eq(int, tables_cover(tables, 200, false), 0));
	cr_assert(eq(int, tables_cover(tables, 300, false), 0));
	cr_assert(eq(int, tables_cover(tables, 400, true), 0));
	op(1, A, 400, 500);
	work(1, NAMES_KERNEL, 50, 1);
	work(1, NAMES_KERNEL, 250, 10);
	work(1, NAMES_KERNEL, 350, 100);
	work(1, NAMES_KERNEL, 450, 1000);
	cr_assert(eq(int, tables_finish(tables), 0));
	DEVICE_IS(A, "device_ns", 1001);
	cr_expect(eq(sz, row_count(tables, TABLES_OPERATOR_KERNELS), 1));
}

Test(tables_beneath, without_the_device_its_columns_are_not_known)
{
	op(1, A, 0, 100);
	cr_assert(eq(int, tables_finish(tables), 0));
	UNKNOWN(OPERATORS, 0, "device_ns");
	UNKNOWN(OPERATORS, 0, "device_self_ns");
	UNKNOWN(OPERATORS, 0, "device_min_ns");
}

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Operators inside of each other at random, each with a call between any two of its parts. */
static uint64_t nest(uint64_t at_ns, unsigned depth, uint64_t *sums)
{
	uint64_t begin_ns = at_ns++;
	uint32_t name = A + draw(3);
	for (unsigned parts = draw(4); parts > 0; parts--) {
		uint64_t ns = 1 + draw(50);
		work(1, NAMES_KERNEL, at_ns, ns);
		sums[name - A] += ns;
		at_ns += 1 + draw(2);
		if (depth > 0)
			at_ns = nest(at_ns, depth - 1, sums);
	}
	op(1, name, begin_ns, at_ns + 1);
	return at_ns + 1;
}

Test(tables_beneath, what_operators_did_themselves_adds_up_to_all)
{
	uint64_t sums[3] = {0}, at_ns = 0, all = 0, beneath = 0;
	for (unsigned i = 0; i < 2000; i++)
		at_ns = nest(at_ns, 4, sums);
	cr_assert(eq(int, tables_finish(tables), 0));
	for (unsigned i = 0; i < 3; i++) {
		DEVICE_IS(A + i, "device_self_ns", sums[i]);
		cr_expect(ge(u64, device_of(A + i, "device_ns"), sums[i]));
		all += sums[i];
	}
	for (size_t row = 0; row < row_count(tables, TABLES_OPERATOR_KERNELS); row++)
		beneath += cell(tables, TABLES_OPERATOR_KERNELS, row, "total_ns").number;
	cr_expect(eq(u64, beneath, all));
	cr_expect(eq(u64, cell(tables, TABLES_GPU_ACTIVITIES, 0, "total_ns").number, all));
}

static void shaped(
	uint32_t thread, uint32_t name, uint32_t shapes, uint64_t begin_ns, uint64_t end_ns)
{
	struct record record = {.kind = RECORD_OP, .name = name, .begin = begin_ns, .end = end_ns};
	record_set_OP_shapes(&record, shapes);
	cr_assert(eq(int, tables_op(tables, thread, &record, true), 0));
}

static uint64_t device_of_shape(uint32_t name, uint32_t shapes, const char *column)
{
	char wanted[2][16];
	const uint32_t ids[] = {name, shapes};
	for (unsigned i = 0; i < 2; i++)
		(void)snprintf(wanted[i], sizeof(wanted[i]), "kernel_%u", ids[i]);
	for (size_t row = 0; row < row_count(tables, TABLES_OPERATORS_BY_SHAPE); row++)
		if (strcmp(cell(tables, TABLES_OPERATORS_BY_SHAPE, row, "name").text, wanted[0]) ==
				0 &&
			strcmp(cell(tables, TABLES_OPERATORS_BY_SHAPE, row, "shapes").text,
				wanted[1]) == 0)
			return cell(tables, TABLES_OPERATORS_BY_SHAPE, row, column).number;
	cr_assert(false, "no row %s %s", wanted[0], wanted[1]);
	return 0;
}

#define SHAPE_IS(name, shapes, column, wanted)                                                     \
	cr_expect(eq(u64, device_of_shape(name, shapes, column), wanted))

Test(tables_beneath, operators_of_one_shape_are_a_row_and_together_what_the_operator_is)
{
	shaped(1, B, C, 20, 50); /* C, A: two shapes */
	shaped(1, A, C, 0, 100);
	shaped(1, B, A, 100, 120);
	shaped(1, B, C, 200, 230);
	op(1, B, 300, 301); /* of none that is known */
	work(1, NAMES_KERNEL, 30, 7);
	work(1, NAMES_KERNEL, 60, 11);
	work(1, NAMES_KERNEL, 100, 3);
	work(1, NAMES_KERNEL, 210, 5);
	cr_assert(eq(int, tables_finish(tables), 0));
	cr_expect(eq(sz, row_count(tables, TABLES_OPERATORS_BY_SHAPE), 3));
	SHAPE_IS(B, C, "count", 2);
	SHAPE_IS(B, C, "total_ns", 60);
	SHAPE_IS(B, C, "device_self_ns", 12);
	SHAPE_IS(B, C, "device_max_ns", 7);
	SHAPE_IS(B, A, "device_ns", 3);
	SHAPE_IS(A, C, "self_ns", 70);
	SHAPE_IS(A, C, "device_self_ns", 11);
	SHAPE_IS(A, C, "device_ns", 18);
	DEVICE_IS(A, "device_ns", 18);
	DEVICE_IS(B, "device_ns", 15);
	DEVICE_IS(B, "device_self_ns", 15);
	DEVICE_IS(B, "count", 4);
}
