/* SPDX-License-Identifier: MIT */
/* Which operator put a function into the backward pass, and what tables and sums make of it. */
#include "analyzer/facts/facts.h"
#include "analyzer/links/links.h"
#include "analyzer/tables/tables.h"
#include "collector/format/fields.h"
#include "test/unit/analyzer/tables_cell.h"

#define FORWARD_THREAD 5 /* as the framework numbers it */
#define NAME_BACKWARD  NAMES_MANY

static struct record numbered(
	uint32_t name, uint32_t sequence, uint64_t begin_ns, uint64_t end_ns, enum op_scope scope)
{
	struct record op = {
		.kind = RECORD_OP, .name = name, .begin = begin_ns, .end = end_ns, .c = scope};
	record_set_OP_sequence(&op, sequence);
	record_set_OP_forward(&op, FORWARD_THREAD);
	if (scope == OP_FUNCTION)
		record_set_OP_line(&op, NAMES_PLACE);
	return op;
}

Test(links, the_operator_that_began_last_put_the_function_there)
{
	struct links links = {0};
	struct record before = numbered(1, 7, 10, 20, OP_FUNCTION);
	struct record inside = numbered(2, 7, 40, 50, OP_FUNCTION);
	struct record around = numbered(3, 7, 30, 60, OP_FUNCTION);
	struct record function = numbered(4, 7, 100, 120, OP_BACKWARD_FUNCTION);
	cr_expect(eq(ptr, (void *)links_find(&links, &function), NULL));
	cr_assert(eq(int, links_add(&links, &before), 0));
	cr_expect(eq(u32, links_find(&links, &function)->name, 1));
	function.begin++;
	cr_assert(eq(int, links_add(&links, &inside), 0));
	cr_assert(eq(int, links_add(&links, &around), 0));
	cr_expect(eq(u32, links_find(&links, &function)->name, 2));
	cr_expect(eq(ptr, (void *)links_find(&links, &function), NULL)); /* the same again */
	function.begin = 99;                                             /* what is around it */
	cr_expect(eq(ptr, (void *)links_find(&links, &function), NULL));
	function.begin = 200; /* the pass is run again */
	cr_expect(eq(u32, links_find(&links, &function)->line, NAMES_PLACE));
	record_set_OP_sequence(&function, 8);
	cr_expect(eq(ptr, (void *)links_find(&links, &function), NULL));
	record_set_OP_sequence(&function, 7);
	record_set_OP_forward(&function, FORWARD_THREAD + 1);
	cr_expect(eq(ptr, (void *)links_find(&links, &function), NULL));
	links_release(&links);
}

Test(links, what_is_not_numbered_or_too_old_is_behind_nothing)
{
	struct links links = {0};
	struct record op = numbered(1, 3, 10, 20, OP_FUNCTION);
	struct record function = numbered(4, 3, 100, 120, OP_BACKWARD_FUNCTION);
	record_set_OP_forward(&op, 0);
	cr_assert(eq(int, links_add(&links, &op), 0));
	cr_expect(eq(sz, links.threads.count, 0));
	record_set_OP_forward(&op, FORWARD_THREAD);
	cr_assert(eq(int, links_add(&links, &op), 0));
	record_set_OP_sequence(&op, 3 + LINKS_KEPT);
	cr_assert(eq(int, links_add(&links, &op), 0));
	cr_expect(eq(ptr, (void *)links_find(&links, &function), NULL));
	for (uint32_t i = 0; i < 2 * LINKS_THREADS; i++) {
		record_set_OP_forward(&op, 100 + i);
		cr_assert(eq(int, links_add(&links, &op), 0));
	}
	cr_expect(eq(sz, links.threads.count, LINKS_THREADS));
	links_release(&links);
}

/* Three kernels of what runs one function on a thread that helps, one beside it, one behind it. */
static void feed_backward(struct tables *tables)
{
	struct record forward = numbered(NAMES_KERNEL, 7, 10, 20, OP_FUNCTION);
	struct record function = numbered(NAME_BACKWARD, 7, 100, 130, OP_BACKWARD_FUNCTION);
	struct record runs = {.kind = RECORD_OP, .name = NAMES_LONG, .begin = 100, .end = 140};
	struct record around = {.kind = RECORD_OP, .name = NAMES_LONG, .begin = 90, .end = 150};
	static const struct {
		uint32_t thread;
		uint64_t call_ns, ran_ns;
	} works[] = {
		{2, 105, 1000}, {2, 129, 2000}, {2, 131, 4000}, {1, 110, 8000}, {2, 141, 16000}};
	struct tables_source source = names_source(tables);
	tables_know(tables, source.lookup);
	cr_assert(eq(int, tables_op(tables, 1, &forward, true), 0));
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		struct record launch = {.kind = RECORD_LAUNCH,
			.begin = works[i].call_ns,
			.end = works[i].call_ns + 1};
		struct record kernel = {.kind = RECORD_DEVICE_KERNEL,
			.begin = 10000 * (i + 1),
			.end = 10000 * (i + 1) + works[i].ran_ns};
		cr_assert(eq(int, tables_device(tables, &kernel), 0));
		cr_assert(eq(int, tables_work(tables, works[i].thread, &launch, &kernel), 0));
		if (i == 0) {
			cr_assert(eq(int, tables_op(tables, 2, &function, true), 0));
			cr_assert(eq(int, tables_op(tables, 2, &runs, true), 0));
			cr_assert(eq(int, tables_op(tables, 2, &around, true), 0));
		}
	}
	cr_assert(eq(int, tables_finish(tables), 0));
}

/* The operator's line has it; operators that took no time to speak of are beside it. */
static void expect_line(struct tables *tables)
{
	size_t rows = row_count(tables, TABLES_LINES), line = rows;
	for (size_t i = 0; i < rows; i++)
		line = cell(tables, TABLES_LINES, i, "line").known ? i : line;
	cr_assert(lt(sz, line, rows));
	NUMBER(LINES, line, "line", 30);
	NUMBER(LINES, line, "backward_count", 1);
	NUMBER(LINES, line, "backward_device_ns", 7000);
	UNKNOWN(LINES, 1 - line, "backward_device_ns");
}

Test(links, the_device_s_time_of_the_backward_pass_is_the_operator_s_and_its_line_s)
{
	struct tables *tables = tables_new();
	feed_backward(tables);
	size_t rows = row_count(tables, TABLES_OPERATORS), forward = 0, function = 0;
	for (size_t i = 0; i < rows; i++) {
		forward = cell(tables, TABLES_OPERATORS, i, "backward_count").known ? i : forward;
		function = cell(tables, TABLES_OPERATORS, i, "forward").known ? i : function;
	}
	cr_expect(eq(sz, rows, 3));
	cr_expect(ne(sz, forward, function));
	NUMBER(OPERATORS, forward, "backward_count", 1);
	NUMBER(OPERATORS, forward, "backward_ns", 30);
	NUMBER(OPERATORS, forward, "backward_device_ns", 7000);
	TEXT(OPERATORS, function, "forward", "relu");
	TEXT(OPERATORS, function, "name", "kernel_100");
	UNKNOWN(OPERATORS, function, "backward_device_ns");
	expect_line(tables);
	tables_free(tables);
}

Test(links, lines_alone_have_it_too)
{
	struct tables *tables = tables_new();
	tables_want(tables, 1u << TABLES_LINES);
	feed_backward(tables);
	expect_line(tables);
	cr_expect(eq(sz, row_count(tables, TABLES_OPERATORS), 0));
	tables_free(tables);
}

static const char *no_text(const void *context, uint32_t id)
{
	(void)context;
	(void)id;
	return "kernel";
}

Test(links, a_kernel_has_the_line_behind_most_of_its_launches)
{
	enum {
		KERNEL = 3,
		OTHER = 4
	};
	const struct lookup lookup = {.text = no_text};
	struct facts *facts = facts_new(&lookup);
	struct record forward = numbered(1, 7, 10, 20, OP_FUNCTION);
	struct record function = numbered(2, 7, 100, 130, OP_BACKWARD_FUNCTION);
	struct record inside = {.kind = RECORD_OP, .name = OTHER, .begin = 104, .end = 120};
	struct record runs = {.kind = RECORD_OP, .name = OTHER, .begin = 99, .end = 150};
	struct record launches[] = {{.kind = RECORD_LAUNCH, .name = OTHER, .begin = 90, .end = 91},
		{.kind = RECORD_LAUNCH, .name = KERNEL, .begin = 105, .end = 106},
		{.kind = RECORD_LAUNCH, .name = KERNEL, .begin = 110, .end = 111}};
	cr_assert(eq(int, facts_host(facts, 1, &forward, 1), 0));
	cr_assert(eq(int, facts_host(facts, 2, launches, 3), 0));
	cr_assert(eq(int, facts_host(facts, 2, &inside, 1), 0));
	cr_assert(eq(int, facts_host(facts, 2, &function, 1), 0));
	cr_assert(eq(int, facts_host(facts, 2, &runs, 1), 0));
	cr_expect(eq(u32, fact_winner(&facts->names.items[KERNEL].behind, 2), NAMES_PLACE));
	cr_expect(eq(u32, fact_winner(&facts->names.items[OTHER].behind, 1), 0));
	facts_free(facts);
}
