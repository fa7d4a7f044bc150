/* SPDX-License-Identifier: MIT */
/*
 * Programs that give no work to a GPU: the account is of the host alone, and what cannot be known
 * is not said.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/device_builder.h"
#include "test/unit/analyzer/model_report.h"

static struct builder builder;

static void end(void)
{
	builder_free(&builder);
}

TestSuite(alone, .fini = end);

/* An operator of the program at a place. */
static void compute(uint64_t us, uint32_t place)
{
	uint64_t begin = builder.now_ns;
	builder_pause(&builder, us);
	builder_add(&builder, &(struct record){.begin = begin,
				      .end = builder.now_ns,
				      .kind = RECORD_OP,
				      .name = NAME_TO,
				      .place = place});
}

/* Steps that load, compute, run other code and are blocked for so many microseconds. */
static void train(unsigned steps, uint64_t load_us, uint64_t compute_us, uint64_t code_us,
	uint64_t blocked_us)
{
	for (unsigned i = 0; i < steps; i++) {
		uint64_t begin = builder.now_ns;
		builder_pause(&builder, load_us);
		builder_op(&builder, begin, NAME_LOADER, OP_USER_SCOPE);
		compute(compute_us, 3);
		builder_pause(&builder, code_us);
		begin = builder.now_ns;
		builder_pause(&builder, blocked_us);
		builder_add(&builder, &(struct record){.begin = begin,
					      .end = builder.now_ns,
					      .kind = RECORD_INPUT,
					      .c = record_bits_INPUT_what(INPUT_LOCK)});
		compute(100, 4);
		begin = builder.now_ns;
		builder_pause(&builder, 100);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
}

static void expect_share(enum cause cause, double pct)
{
	double found = builder_pct(builder.report, cause);
	cr_expect(found > pct - 1 && found < pct + 1, "%s: %.1f %%, not %.1f %%",
		cause_text(cause, true), found, pct);
}

Test(alone, each_share_is_what_the_program_did)
{
	builder = builder_new();
	train(50, 3000, 4000, 2000, 0);
	const struct report *report = builder_finish(&builder);
	expect_share(CAUSE_IDLE_INPUT, 100 * 3000 / 9200.0);
	expect_share(CAUSE_HOST_OPERATORS, 100 * 4100 / 9200.0);
	expect_share(CAUSE_IDLE_HOST, 100 * 2100 / 9200.0);
	cr_expect(eq(int, report->verdict.class, VERDICT_IO));
	cr_expect(eq(int, report->verdict.confidence, CONFIDENCE_HIGH));
	cr_expect(eq(int, report->health.status, HEALTH_GOOD));
	cr_expect(eq(dbl, report->busy_pct, 0));
	for (unsigned i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->findings[i];
		cr_expect(strstr(finding->text, "GPU") == NULL, "%s", finding->text);
		cr_expect(strstr(finding->evidence, "GPU") == NULL, "%s", finding->evidence);
	}
}

Test(alone, operators_are_the_work_and_no_fault)
{
	builder = builder_new();
	train(50, 100, 8000, 100, 0);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(int, report->verdict.class, VERDICT_CPU));
	cr_expect(eq(str, (char *)report->verdict.cause, "host_operators"));
	const struct finding *finding = builder_finding(report, "host-operator", 30);
	cr_assert(finding != NULL);
	cr_expect(eq(int, finding->severity, SEVERITY_INFO));
	cr_expect(eq(dbl, finding->gain_pct, REPORT_UNKNOWN_PCT));
}

Test(alone, code_between_operators_is_not_theirs)
{
	builder = builder_new();
	train(50, 100, 1000, 7000, 0);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(int, report->verdict.class, VERDICT_CPU));
	cr_expect(eq(str, (char *)report->verdict.cause, "idle_host"));
}

/* With a GPU it is seen whether bytes go there. */
Test(alone, what_blocks_may_be_data)
{
	builder = builder_new();
	train(50, 100, 1000, 100, 7000);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(int, report->verdict.confidence, CONFIDENCE_LOW));
}

/* A GPU that was not recorded is no reason to say that there is none. */
Test(alone, a_trace_that_could_not_show_a_gpu_decides_nothing)
{
	builder = builder_new();
	train(50, 3000, 4000, 100, 0);
	cr_assert(model_finish(builder.model) == 0);
	const struct report_input input = {.model = builder.model,
		.thresholds = &builder.thresholds,
		.reader = {.clean_end = true},
		.complete = true,
		.blind = true};
	report_build(builder.report, &input);
	cr_expect(eq(int, builder.report->verdict.class, VERDICT_INSUFFICIENT));
}

/* Preparation without a GPU may be longer than the beginning that is learnt from. */
Test(alone, the_first_launch_ends_it)
{
	builder = builder_new();
	train(MODEL_PREFIX / 4, 100, 8000, 100, 0);
	cr_expect(builder.model->alone);
	for (unsigned i = 0; i < 50; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 900, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(not(builder.model->alone));
	cr_expect(eq(u64, report->steps.count, 50));
	expect_share(CAUSE_HOST_OPERATORS, 0);
}

static void block(uint64_t us, enum input_what what, uint16_t called)
{
	uint64_t begin = builder.now_ns;
	builder_pause(&builder, us);
	builder_add(&builder, &(struct record){.begin = begin,
				      .end = builder.now_ns,
				      .kind = RECORD_INPUT,
				      .call = called,
				      .place = 9,
				      .c = record_bits_INPUT_what(what)});
}

/* A line may open a file and wait for a thread: it is told by what it waits for, and in what. */
Test(alone, the_call_and_its_reason_are_those_of_one_wait)
{
	builder = builder_new();
	for (unsigned i = 0; i < 50; i++) {
		block(100, INPUT_OPEN, CALL_LOAD);
		block(3000, INPUT_SLEEP, CALL_UNLOAD);
		block(200, INPUT_OPEN, CALL_LOAD);
		compute(1000, 3);
		uint64_t begin = builder.now_ns;
		builder_pause(&builder, 100);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct finding *finding =
		builder_finding(builder_finish(&builder), "host-blocked", 90);
	cr_assert(finding != NULL);
	cr_expect(strstr(finding->evidence, "cuModuleUnload(), waiting for time to pass") != NULL,
		"%s", finding->evidence);
}
