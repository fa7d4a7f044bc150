/* SPDX-License-Identifier: MIT */
/* Code of the host that idles the GPU: named by samples of the stack that lie in idle time. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/facts/sums.h"
#include "analyzer/report/rules/subjects.h"
#include "test/unit/analyzer/model_report.h"

#define STEPS 40

/* The thread was at a line (10 * place) a little before now. */
static void sample(struct builder *builder, uint64_t us_ago, uint32_t place, uint32_t stack)
{
	struct record record = {.begin = builder->now_ns - us_ago * US, .kind = RECORD_STACK};
	record.end = record.begin;
	record.place = place;
	record_set_STACK_thread(&record, 1);
	record_set_STACK_stack(&record, stack);
	builder_add(builder, &record);
}

/* Samples that have not been written yet: the recorder writes them in blocks, so they come late. */
struct unwritten {
	uint64_t at_ns[STEPS];
	uint32_t place[STEPS];
	unsigned count;
};

static void write_samples(struct builder *builder, struct unwritten *samples)
{
	uint64_t now_ns = builder->now_ns;
	for (unsigned i = 0; i < samples->count; i++) {
		builder->now_ns = samples->at_ns[i];
		sample(builder, 0, samples->place[i], 15);
	}
	builder->now_ns = now_ns;
	samples->count = 0;
}

/*
 * 1 ms of which the host runs code for 600 us and waits for 300 us; in every second step a sample
 * of the code, three in four of them at line 70, the last at line 80, and one of the wait.
 */
static void add_step(struct builder *builder, unsigned step, struct unwritten *samples)
{
	uint64_t begin = builder->now_ns;
	builder_pause(builder, 600);
	if (step % 2 == 0) {
		samples->at_ns[samples->count] = builder->now_ns - 300 * US;
		samples->place[samples->count++] = step % 8 == 0 ? 8 : 7;
	}
	builder_launch(builder, 10, NAME_KERNEL, 1);
	builder_pause(builder, 90);
	builder_sync(builder, 300, 3);
	sample(builder, 100, 3, 13);
	builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
}

/* Samples come in blocks of so many. */
static const struct report *run(
	struct builder *builder, unsigned sampled, uint32_t thread, unsigned block)
{
	struct unwritten samples = {.count = 0};
	*builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		add_step(builder, step, &samples);
		if (step / 2 >= sampled)
			samples.count = 0;
		builder->thread = thread;
		if (samples.count >= block)
			write_samples(builder, &samples);
		builder->thread = 1;
	}
	write_samples(builder, &samples);
	return builder_finish(builder);
}

Test(rules_host, names_the_line_its_share_and_who_called)
{
	struct builder builder;
	const struct report *report = run(&builder, STEPS, 9, 1);
	const struct finding *code = builder_finding(report, "host-python", 70);
	cr_assert(code != NULL);
	cr_assert(eq(str, (char *)(uintptr_t)code->function, "main"));
	/* both lines are of one function: all of the code */
	double idle_pct = builder_pct(report, CAUSE_IDLE_HOST);
	cr_assert(gt(dbl, code->share_pct, 99.9));
	cr_assert(gt(dbl, idle_pct, 25.0));
	cr_assert(code->gain_pct > idle_pct - 0.2 && code->gain_pct < idle_pct + 0.2, "%f",
		code->gain_pct);
	cr_assert(strstr(code->evidence, "called from train.py:120, train.py:130") != NULL, "%s",
		code->evidence);
	cr_assert(eq(uint, code->caller_count, 3));
	cr_assert(eq(u64, code->callers[0].line, 120));
	cr_assert(builder_finding(report, "host-python", 80) == NULL);
	builder_free(&builder);
}

/* As when they come at once. */
Test(rules_host, samples_that_come_late_count)
{
	struct builder builder;
	for (unsigned block = 2; block <= STEPS; block += block) {
		const struct report *report = run(&builder, STEPS, 9, block);
		const struct finding *code = builder_finding(report, "host-python", 70);
		cr_assert(code != NULL, "%u", block);
		cr_expect(strstr(code->evidence, "100 % of 15 samples") != NULL, "%u: %s", block,
			code->evidence);
		cr_expect(strstr(code->evidence, "80 % at this line") != NULL, "%u: %s", block,
			code->evidence);
		builder_free(&builder);
	}
}

/* Then the lines of the calls around it tell. */
Test(rules_host, says_nothing_of_a_line_without_enough_samples)
{
	for (unsigned sampled = 4; sampled < 10; sampled++) {
		struct builder builder;
		const struct report *report = run(&builder, sampled, 9, 1);
		cr_expect(builder_finding(report, "host-python", 70) == NULL, "%u", sampled);
		cr_expect(builder_finding(report, "host-python", 30) != NULL, "%u", sampled);
		builder_free(&builder);
	}
}

/*
 * Each line has fewer than tell of a line, and the function as many as tell of a function. What it
 * calls comes after all of them, or between them.
 */
static const struct report *run_helper(
	struct builder *builder, unsigned sampled, bool calls, bool between)
{
	*builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder->now_ns;
		unsigned each = step / 4, line = each % 4;
		bool now = step % 4 == 1 && each < sampled;
		for (unsigned half = 0; half < 2; half++) {
			builder_pause(builder, 300);
			if (now && half == line % 2)
				sample(builder, 150, PLACE_HELPER + line, 15);
			if (between && half == 0)
				builder_launch(builder, 10, NAME_KERNEL, PLACE_HELPER + 60);
		}
		builder_launch(builder, 10, NAME_KERNEL, calls ? PLACE_HELPER + 50 : 1);
		builder_pause(builder, 90);
		builder_sync(builder, 300, 3);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

static const struct finding *found_in_helper(const struct report *report)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct finding *found =
			builder_finding(report, "host-python", 10 * (PLACE_HELPER + i));
		if (found != NULL)
			return found;
	}
	return NULL;
}

Test(rules_host, lines_between_the_same_calls_need_as_many_samples_as_a_line)
{
	for (unsigned sampled = 3; sampled <= STEPS / 4; sampled++) {
		struct builder builder;
		for (unsigned calls = 0; calls < 2; calls++) {
			const struct report *report = run_helper(&builder, sampled, calls, false);
			const struct finding *found = found_in_helper(report);
			/* the first steps are left out, with what was sampled in them */
			bool told = found != NULL && strcmp(found->function, "tokenise") == 0;
			cr_expect(eq(int, told, sampled >= 8), "%u, %u", sampled, calls);
			builder_free(&builder);
		}
		/* those on either side are less than five each */
		const struct report *report = run_helper(&builder, sampled, true, true);
		cr_expect(found_in_helper(report) == NULL, "%u", sampled);
		builder_free(&builder);
	}
}

/* A program in C has functions and no loader with workers. */
Test(rules_host, code_after_a_native_call_is_told_as_such)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, PLACE_NATIVE + 1);
		builder_sync(&builder, 90, PLACE_NATIVE + 2);
		builder_pause(&builder, 900);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *found = NULL;
	for (unsigned i = 0; i < report->finding_count; i++)
		if (strcmp(report->findings[i].rule->name, "host-python") == 0)
			found = &report->findings[i];
	cr_assert(found != NULL);
	cr_expect(strncmp(found->advice, "Let the host do less after train.py(main): ", 43) == 0,
		"%s", found->advice);
	cr_expect(strstr(found->advice, "worker") == NULL, "%s", found->advice);
	cr_expect(strncmp(found->evidence, "between this call and the next", 30) == 0, "%s",
		found->evidence);
	builder_free(&builder);
}

Test(rules_host, time_in_which_the_gpu_works_is_no_matter)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_pause(&builder, 400);
		sample(&builder, 200, 7, 11);
		builder_sync(&builder, 590, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(builder_finding(report, "host-python", 70) == NULL);
	builder_free(&builder);
}

/* Steps of 600 us of code and an operator that launches nothing, with samples at places. */
static const struct report *run_sampled(
	struct builder *builder, const uint32_t *places, unsigned count, uint64_t op_us)
{
	*builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder->now_ns;
		uint32_t place = places[step % count];
		builder_pause(builder, 600);
		sample(builder, 300, place, place >= BUILDER_THROUGH ? place : 15);
		uint64_t op = builder->now_ns;
		if (op_us > 0) {
			builder_pause(builder, op_us);
			for (unsigned part = 0; part < 3; part++)
				sample(builder, op_us * (3 - part) / 4, 8, 15);
			builder_add(builder, &(struct record){.kind = RECORD_OP,
						     .begin = op,
						     .end = builder->now_ns,
						     .place = 5,
						     .name = NAME_NUMPY});
		}
		builder_launch(builder, 10, NAME_KERNEL, 1);
		builder_pause(builder, 40);
		builder_sync(builder, 300, 3);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

/* Python gives an expression a frame, but nobody has written that function. */
Test(rules_host, an_expression_belongs_to_the_function_around_it)
{
	static const uint32_t places[] = {BUILDER_GENEXPR, 7, BUILDER_GENEXPR};
	struct builder builder;
	const struct report *report = run_sampled(&builder, places, 3, 0);
	const struct finding *code = builder_finding(report, "host-python", 10 * BUILDER_GENEXPR);
	cr_assert(code != NULL);
	cr_expect(gt(dbl, code->share_pct, 99.9));
	cr_expect(
		strstr(code->evidence, "the host is in main: 100 %") != NULL, "%s", code->evidence);
	builder_free(&builder);
}

/* The time of an operator is told once. */
Test(rules_host, operators_are_no_part_of_the_code_around_them)
{
	static const uint32_t places[] = {7};
	struct builder builder;
	const struct report *report = run_sampled(&builder, places, 1, 1800);
	const struct finding *op = builder_finding(report, "host-operator", 50);
	const struct finding *code = builder_finding(report, "host-python", 80);
	cr_assert(op != NULL && code != NULL);
	cr_expect(op->exposed_ns > 1700 * US && op->exposed_ns < 1900 * US, "%llu",
		(unsigned long long)op->exposed_ns);
	/* of the other 600 us half are the wait's */
	cr_expect(code->exposed_ns > 250 * US && code->exposed_ns < 350 * US, "%llu",
		(unsigned long long)code->exposed_ns);
	cr_expect(strstr(code->evidence, "for its operators, which are told by themselves") != NULL,
		"%s", code->evidence);
	builder_free(&builder);
}

Test(rules_host, only_what_is_installed_is_code_of_pytorch)
{
	static const uint32_t own[] = {BUILDER_OWN}, installed[] = {BUILDER_STORAGE};
	struct builder builder;
	const struct report *report = run_sampled(&builder, own, 1, 0);
	const struct finding *code = builder_finding(report, "host-python", 10 * BUILDER_OWN);
	cr_assert(code != NULL);
	cr_expect(strstr(code->advice, "PyTorch") == NULL, "%s", code->advice);
	builder_free(&builder);
	report = run_sampled(&builder, installed, 1, 0);
	code = builder_finding(report, "host-python", 10 * BUILDER_STORAGE);
	cr_assert(code != NULL);
	cr_expect(strncmp(code->advice, "This is code of PyTorch below", 29) == 0, "%s",
		code->advice);
	builder_free(&builder);
}

/* The loader has no workers, or what picks its samples is slow. */
Test(rules_host, says_where_the_loop_makes_its_batches)
{
	for (unsigned known = 0; known < 2; known++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < STEPS; step++) {
			uint64_t begin = builder.now_ns;
			builder_pause(&builder, 3000);
			sample(&builder, 1500, known ? PLACE_HELPER + step % 3 : 4, 15);
			builder_add(&builder, &(struct record){.kind = RECORD_OP,
						      .begin = begin,
						      .end = builder.now_ns,
						      .place = 4,
						      .name = NAME_LOADER});
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder_sync(&builder, 300, 3);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct report *report = builder_finish(&builder);
		const struct finding *bound = builder_finding(report, "input-bound", 40);
		cr_assert(bound != NULL);
		cr_expect(
			eq(int, strstr(bound->evidence, "is in tokenise meanwhile: 100 %") != NULL,
				(int)known),
			"%s", bound->evidence);
		cr_expect(builder_finding(report, "host-python", 10 * PLACE_HELPER) == NULL);
		builder_free(&builder);
	}
}

/* Fewer calls of PyTorch come of compiling, unless that is done already. */
Test(rules_host, what_is_compiled_is_not_to_be_compiled)
{
	for (unsigned compiled = 0; compiled < 2; compiled++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < STEPS; step++) {
			uint64_t begin = builder.now_ns;
			builder_pause(&builder, 600);
			builder_launch(&builder, 10, NAME_KERNEL, 3);
			builder_sync(&builder, 300, 3);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		struct facts facts = {.framework = OP_TORCH, .compiled = compiled};
		struct finding finding = {.severity = SEVERITY_HIGH};
		(void)builder_finish(&builder);
		builder.report->facts = &facts;
		code_describe(&(struct subject){.report = builder.report}, &finding);
		cr_expect(strstr(finding.advice, "fused optimisers") != NULL, "%s", finding.advice);
		cr_expect(eq(int, strstr(finding.advice, "torch.compile") == NULL, compiled == 1),
			"%s", finding.advice);
		builder.report->facts = NULL;
		builder_free(&builder);
	}
}
