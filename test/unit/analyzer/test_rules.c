/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40

/* Which line does what in the loop below, as builder places. */
enum place {
	PLACE_LAUNCH = 1,
	PLACE_ITEM,
	PLACE_NONZERO,
	PLACE_CPU,
	PLACE_EXPLICIT,
	PLACE_UPLOAD,
	PLACE_PINNED,
	PLACE_ASYNC_READ,
};

static void read_back(
	struct builder *builder, uint64_t us, uint64_t bytes, uint32_t place, uint32_t name)
{
	uint64_t begin = builder->now_ns;
	builder_copy(builder, us, COPY_DEVICE_TO_HOST, bytes, MEMORY_PAGEABLE, place);
	builder_sync(builder, 1, place);
	builder_op(builder, begin, name, OP_FUNCTION);
}

static void step(struct builder *builder)
{
	uint64_t begin = builder->now_ns;
	for (unsigned i = 0; i < 5; i++)
		builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
	read_back(builder, 500, 4, PLACE_ITEM, NAME_ITEM);
	builder_pause(builder, 300);
	builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
	read_back(builder, 200, 8, PLACE_NONZERO, NAME_NONZERO);
	builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
	read_back(builder, 200, 4096, PLACE_CPU, NAME_TO);
	builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
	builder_sync(builder, 200, PLACE_EXPLICIT);
	builder_copy(builder, 100, COPY_HOST_TO_DEVICE, 1 << 20, MEMORY_PAGEABLE, PLACE_UPLOAD);
	builder_copy(builder, 5, COPY_HOST_TO_DEVICE, 1 << 20, MEMORY_PINNED, PLACE_PINNED);
	builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
	builder_copy(builder, 5, COPY_DEVICE_TO_HOST, 64, MEMORY_PINNED, PLACE_ASYNC_READ);
	builder_launch(builder, 10, NAME_KERNEL_2, PLACE_LAUNCH);
	builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
}

static const struct report *run(struct builder *builder)
{
	*builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++)
		step(builder);
	return builder_finish(builder);
}

Test(rules, each_line_gets_its_rule_once)
{
	static const struct {
		enum place place;
		const char *rule;
	} expected[] = {
		{PLACE_ITEM, "sync-scalar-read"},
		{PLACE_NONZERO, "sync-shape-dependent"},
		{PLACE_CPU, "sync-tensor-to-host"},
		{PLACE_EXPLICIT, "sync-explicit"},
		{PLACE_UPLOAD, "copy-pageable-async"},
	};
	struct builder builder;
	const struct report *report = run(&builder);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct finding *finding =
			builder_finding(report, expected[i].rule, 10 * expected[i].place);
		cr_assert(finding != NULL, "line %d", 10 * expected[i].place);
		cr_expect(eq(dbl, finding->calls_per_step, 1.0), "line %d", 10 * expected[i].place);
	}
	unsigned with_line = 0;
	for (unsigned i = 0; i < report->finding_count; i++)
		with_line += report->findings[i].line != 0;
	cr_assert(eq(uint, with_line, 5));
	builder_free(&builder);
}

Test(rules, lines_that_do_not_wait_are_never_named)
{
	struct builder builder;
	const struct report *report = run(&builder);
	for (unsigned i = 0; i < report->finding_count; i++) {
		uint64_t line = report->findings[i].line;
		cr_assert(line != 10 * PLACE_LAUNCH && line != 10 * PLACE_PINNED &&
			  line != 10 * PLACE_ASYNC_READ);
	}
	builder_free(&builder);
}

Test(rules, finding_has_the_figures_of_its_calls)
{
	struct builder builder;
	const struct report *report = run(&builder);
	const struct finding *item = builder_finding(report, "sync-scalar-read", 10 * PLACE_ITEM);
	cr_assert(eq(u64, item->host_ns, 501 * US));
	cr_assert(eq(str, (char *)item->op, (char *)"aten::item"));
	cr_assert(eq(str, (char *)item->file, (char *)"/home/user/train.py"));
	/* the device stands still for the 300 us of host code, the wait before took longer */
	cr_assert(item->exposed_ns >= 290 * US && item->exposed_ns <= 330 * US);
	builder_free(&builder);
}

Test(rules, gain_is_what_the_step_takes_without_the_wait)
{
	/* 100 us launches, 900 us waiting, 900 us host code: without the wait both overlap */
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		for (unsigned launch = 0; launch < 10; launch++)
			builder_launch(&builder, 10, NAME_KERNEL, PLACE_LAUNCH);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		read_back(&builder, 900, 4, PLACE_ITEM, NAME_ITEM);
		builder_pause(&builder, 900);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *item = builder_finding(report, "sync-scalar-read", 10 * PLACE_ITEM);
	cr_assert(item != NULL);
	cr_assert(eq(u64, report->steps.median_ns, 1901 * US));
	/* host 1000 us, device about as long: not less than 1000, not more than 1050 */
	cr_assert(item->predicted_ns >= 990 * US && item->predicted_ns <= 1050 * US, "%lu",
		(unsigned long)item->predicted_ns);
	cr_assert(eq(int, item->severity, SEVERITY_HIGH));
	builder_free(&builder);
}

Test(rules, a_wait_for_a_busy_device_gains_nothing)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		for (unsigned launch = 0; launch < 10; launch++)
			builder_launch(&builder, 10, NAME_KERNEL, PLACE_LAUNCH);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		builder_sync(&builder, 9900, PLACE_EXPLICIT);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *wait = builder_finding(report, "sync-explicit", 10 * PLACE_EXPLICIT);
	cr_assert(wait != NULL && wait->gain_pct < 1.0, "%f", wait != NULL ? wait->gain_pct : -1);
	cr_assert(eq(int, wait->severity, SEVERITY_INFO));
	builder_free(&builder);
}

/* 20 pieces of 4 KB a step, each of which holds the host for a while. */
Test(rules, many_small_copies_are_one_finding)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, PLACE_LAUNCH);
		for (unsigned piece = 0; piece < 20; piece++)
			builder_copy(&builder, 15, COPY_HOST_TO_DEVICE, 4096, MEMORY_PAGEABLE,
				PLACE_UPLOAD);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *many = builder_finding(report, "copy-many-small", 10 * PLACE_UPLOAD);
	cr_assert(many != NULL && many->calls_per_step > 19.9);
	cr_assert(eq(u64, many->host_ns, 300 * US));
	cr_assert(builder_finding(report, "copy-pageable-async", 10 * PLACE_UPLOAD) == NULL);
	builder_free(&builder);
}

/* Batches of two parts, for which the loop waits for 300 us, and copies each for as long. */
static const struct report *batches(
	struct builder *builder, uint32_t loader, struct facts *facts, struct depth depth)
{
	*builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder->now_ns;
		builder_pause(builder, 300);
		builder_op(builder, begin, loader, OP_USER_SCOPE);
		builder_copy(
			builder, 300, COPY_HOST_TO_DEVICE, 1 << 20, MEMORY_PAGEABLE, PLACE_UPLOAD);
		builder_copy(
			builder, 300, COPY_HOST_TO_DEVICE, 1 << 20, MEMORY_PAGEABLE, PLACE_PINNED);
		builder_launch(builder, 100, NAME_KERNEL, PLACE_LAUNCH);
		builder_op(builder, builder->now_ns - 5 * US, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	cr_assert(model_finish(builder->model) == 0);
	const struct report_input input = {.model = builder->model,
		.thresholds = &builder->thresholds,
		.facts = facts,
		.workers = {.depth = depth},
		.reader = {.clean_end = true},
		.complete = true};
	report_build(builder->report, &input);
	return builder->report;
}

Test(rules, what_pinning_gives_holds_for_the_whole_batch)
{
	struct builder builder;
	const struct depth nothing = {.asks = 0};
	struct facts *facts = facts_new(&(struct lookup){.text = text_of});
	const struct report *report = batches(&builder, NAME_NEXT, facts, nothing);
	const struct finding *line =
		builder_finding(report, "copy-pageable-async", 10 * PLACE_UPLOAD);
	const struct finding *pin = builder_finding(report, "input-pin-missing", 10 * PLACE_PINNED);
	cr_assert(line != NULL && pin != NULL);
	cr_expect(line->predicted_ns > 390 * US, "one of two: %d", (int)line->predicted_ns);
	cr_expect(strstr(pin->evidence,
			  "1.0 copies for each batch of the loader, from pageable "
			  "memory, 1.05 MB each; they hold the host for 300.0 us") != NULL,
		"%s", pin->evidence);
	cr_expect(strstr(pin->evidence, "a step would take no less than 400.") != NULL, "%s",
		pin->evidence);
	cr_expect(strstr(pin->advice, "pin_memory=True, so that its thread") != NULL, "%s",
		pin->advice);
	builder_free(&builder);
	/* 240 of 300 us of each wait are the way from the worker, which the thread takes too */
	const struct depth taking = {.asks = STEPS, .missing = 0, .take_ns = 240e3};
	report = batches(&builder, NAME_NEXT, facts, taking);
	pin = builder_finding(report, "input-pin-missing", 10 * PLACE_PINNED);
	cr_expect(strstr(pin->evidence, "a step would take no less than 240.") != NULL, "%s",
		pin->evidence);
	builder_free(&builder);
	facts->pin.samples = 1;
	report = batches(&builder, NAME_NEXT, facts, nothing);
	pin = builder_finding(report, "input-pin-missing", 10 * PLACE_PINNED);
	cr_expect(strstr(pin->advice, "needs a method pin_memory()") != NULL, "%s", pin->advice);
	builder_free(&builder);
	facts->pin.samples = 0;
	report = batches(&builder, NAME_LOADER, facts, nothing);
	pin = builder_finding(report, "input-pin-missing", 10 * PLACE_PINNED);
	cr_expect(strstr(pin->advice, "First give the DataLoader workers") != NULL, "%s",
		pin->advice);
	builder_free(&builder);
	facts_free(facts);
}

Test(rules, one_time_is_gained_once)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		builder_pause(&builder, 500);
		builder_op(&builder, begin, NAME_LOADER, OP_USER_SCOPE);
		builder_launch(&builder, 10, NAME_KERNEL, PLACE_LAUNCH);
		builder_op(&builder, builder.now_ns - 5 * US, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *bound = builder_finding(report, "input-bound", 0);
	const struct finding *alone = builder_finding(report, "input-single-process", 0);
	cr_assert(bound != NULL && alone == bound + 1);
	cr_assert(bound->gain_pct > 50 && bound->part_of == NULL);
	cr_assert(alone->gain_pct == REPORT_UNKNOWN_PCT && alone->part_of == bound->rule);
	cr_assert(eq(u64, alone->exposed_ns, REPORT_UNKNOWN));
	cr_assert(eq(u64, alone->predicted_ns, 0));
	cr_assert(eq(int, alone->severity, bound->severity));
	builder_free(&builder);
}

/* A loop whose lines read from the device: so many lines, so many times each in a step. */
static const struct report *read_often(
	struct builder *builder, unsigned lines, unsigned times, uint64_t bytes, uint32_t name)
{
	*builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder->now_ns;
		for (unsigned read = 0; read < lines * times; read++) {
			builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
			read_back(builder, 40, bytes, PLACE_ITEM + read % lines, name);
		}
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

Test(rules, ten_reads_of_a_line_in_a_step_are_a_loop)
{
	static const struct {
		const char *name;
		unsigned lines, times;
		uint64_t bytes;
		uint32_t op;
		const char *found; /* the rule that has the gain */
		bool repeated;
	} cases[] = {
		{"ten values", 1, 10, 4, NAME_ITEM, "sync-scalar-read", true},
		{"twenty tensors", 1, 20, 4096, NAME_TO, "sync-tensor-to-host", true},
		{"nine values", 1, 9, 4, NAME_ITEM, "sync-scalar-read", false},
		{"eighteen values of two lines", 2, 9, 4, NAME_ITEM, "sync-scalar-read", false},
		{"twenty sizes", 1, 20, 8, NAME_NONZERO, "sync-shape-dependent", false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		const struct report *report = read_often(
			&builder, cases[i].lines, cases[i].times, cases[i].bytes, cases[i].op);
		const struct finding *read =
			builder_finding(report, cases[i].found, 10 * PLACE_ITEM);
		const struct finding *loop =
			builder_finding(report, "sync-repeated-line", 10 * PLACE_ITEM);
		cr_expect(read != NULL && read->part_of == NULL, "%s", cases[i].name);
		cr_expect(eq(int, loop != NULL, cases[i].repeated), "%s", cases[i].name);
		cr_expect(loop == NULL || loop->part_of == read->rule, "%s", cases[i].name);
		builder_free(&builder);
	}
}

/* Twenty waits and twelve reads: what the line mostly does counts. */
Test(rules, a_line_that_mostly_waits_is_no_loop_of_reads)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder.now_ns;
		for (unsigned wait = 0; wait < 20; wait++) {
			builder_launch(&builder, 10, NAME_KERNEL, PLACE_LAUNCH);
			builder_sync(&builder, 40, PLACE_EXPLICIT);
		}
		for (unsigned read = 0; read < 12; read++) {
			builder_launch(&builder, 10, NAME_KERNEL, PLACE_LAUNCH);
			read_back(&builder, 40, 4, PLACE_EXPLICIT, NAME_ITEM);
		}
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(builder_finding(report, "sync-explicit", 10 * PLACE_EXPLICIT) != NULL);
	cr_assert(builder_finding(report, "sync-repeated-line", 10 * PLACE_EXPLICIT) == NULL);
	builder_free(&builder);
}

Test(rules, a_repeated_read_is_told_with_its_number_and_gains_nothing_more)
{
	struct builder builder;
	const struct report *report = read_often(&builder, 1, 12, 4, NAME_ITEM);
	const struct finding *read = builder_finding(report, "sync-scalar-read", 10 * PLACE_ITEM);
	const struct finding *loop = builder_finding(report, "sync-repeated-line", 10 * PLACE_ITEM);
	cr_assert(read != NULL && loop == read + 1);
	cr_assert(eq(dbl, loop->gain_pct, REPORT_UNKNOWN_PCT));
	cr_assert(eq(u64, loop->exposed_ns, REPORT_UNKNOWN));
	cr_assert(eq(u64, loop->predicted_ns, 0));
	cr_assert(eq(int, loop->severity, read->severity));
	cr_assert(strstr(loop->evidence, "12.0 reads per step") != NULL, "%s", loop->evidence);
	builder_free(&builder);
}
