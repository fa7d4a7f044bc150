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

/* Operators of a framework that gives few of them a line: begun us ago. */
static void eager(uint64_t us, uint32_t name, enum op_scope scope, uint32_t place)
{
	builder_add(&builder, &(struct record){.begin = builder.now_ns - us * US,
				      .end = builder.now_ns,
				      .kind = RECORD_OP,
				      .name = name,
				      .place = place,
				      .c = record_bits_OP_scope((uint64_t)scope) |
					   record_bits_OP_framework(OP_PADDLE)});
}

/* A batch from that line, which takes us, and a forward pass of six operators. */
static void forward(uint64_t us, uint32_t place)
{
	builder_pause(&builder, us);
	eager(us, NAME_READER, OP_USER_SCOPE, place);
	for (unsigned i = 0; i < 6; i++) {
		builder_pause(&builder, 100);
		eager(100, NAME_EAGER, OP_FUNCTION, 0);
	}
}

/* A graph is run as a whole: nothing else says where a step ends. */
Test(alone, each_run_of_a_graph_is_a_step)
{
	builder = builder_new();
	builder_pause(&builder, 500);
	eager(500, NAME_EXECUTOR, OP_FUNCTION, 7); /* its beginning */
	for (unsigned step = 0; step < 50; step++) {
		builder_pause(&builder, 3000);
		builder_pause(&builder, 1000);
		eager(1000, NAME_EXECUTOR, OP_FUNCTION, 9);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, report->steps.count, 50));
	cr_expect(eq(u64, report->steps.mean_ns, 4000 * US));
	cr_expect(ne(int, report->verdict.confidence, CONFIDENCE_HIGH));
	expect_share(CAUSE_HOST_OPERATORS, 25);
}

#define LOAD_US 200u
#define STEP_US (LOAD_US + 600 + 1200 + 100 + 50)

static void learn_from(uint32_t place)
{
	forward(LOAD_US, place);
	for (unsigned i = 0; i < 12; i++) {
		builder_pause(&builder, 100);
		eager(100, NAME_GRADIENT, OP_FUNCTION, 0);
	}
	eager(1200, NAME_GRADIENTS, OP_FUNCTION, 2);
	builder_pause(&builder, 50);
	eager(50, NAME_NUMPY, OP_FUNCTION, 3);
	builder_pause(&builder, 100);
	eager(100, NAME_OPTIMIZER, OP_USER_SCOPE, 4);
}

/* Results are fetched, and written to a file. */
static void save(uint64_t bytes)
{
	for (unsigned i = 0; i < 4; i++) {
		builder_pause(&builder, 100);
		eager(100, NAME_NUMPY, OP_FUNCTION, 8);
	}
	call(&builder, 3000,
		(struct record){.kind = RECORD_INPUT,
			.place = 8,
			.b = bytes,
			.c = record_bits_INPUT_what(INPUT_WRITE) |
			     record_bits_INPUT_medium(MEDIUM_FILE)});
}

#define EPOCHS 5u
#define EPOCH  16u

static const struct phase_sum *phase_of(enum phase phase)
{
	const struct phases *phases = &builder.model->steps.phases;
	const struct phase_sum *found = NULL;
	for (uint32_t i = 0; i < phases->count; i++)
		if (phases->items[i].phase == phase) {
			cr_expect(found == NULL, "each once");
			found = &phases->items[i];
		}
	return found;
}

/* Epochs, each followed by ten batches from that line without a step, and by a file of bytes. */
static const struct report *train_epochs(uint32_t place, uint64_t bytes)
{
	builder = builder_new();
	for (unsigned epoch = 0; epoch < EPOCHS; epoch++) {
		for (unsigned i = 0; i < EPOCH; i++)
			learn_from(1);
		for (unsigned i = 0; i < 10 && place != 0; i++)
			forward(900, place);
		if (bytes != 0)
			save(bytes);
	}
	for (unsigned i = 0; i < EPOCH; i++)
		learn_from(1);
	return builder_finish(&builder);
}

static void expect_steps(const struct report *report)
{
	cr_expect(eq(u64, report->steps.count, (EPOCHS + 1) * EPOCH));
	cr_expect(eq(u64, report->steps.mean_ns, STEP_US * US));
	cr_expect(eq(u64, report->counted[MODEL_LOADS], report->steps.steady));
	cr_expect(eq(u64, report->counted[MODEL_LOAD_NS], report->steps.steady * LOAD_US * US));
	expect_share(CAUSE_IDLE_INPUT, 100.0 * LOAD_US / STEP_US);
}

Test(alone, an_evaluation_of_batches_from_another_line_is_no_step)
{
	expect_steps(train_epochs(6, 0));
	const struct phase_sum *evaluation = phase_of(PHASE_EVALUATION);
	cr_assert(evaluation != NULL && phase_of(PHASE_CHECKPOINT) == NULL);
	cr_expect(eq(u64, evaluation->count, EPOCHS));
	cr_expect(eq(u64, evaluation->ns, EPOCHS * 10 * 1500 * US));
	cr_expect(eq(u32, evaluation->place, 6));
}

/* As in a library's loop, which the program enters at one line. */
Test(alone, an_evaluation_by_the_lines_of_the_training_is_no_step)
{
	expect_steps(train_epochs(1, 0));
	const struct phase_sum *evaluation = phase_of(PHASE_EVALUATION);
	cr_assert(evaluation != NULL && phase_of(PHASE_CHECKPOINT) == NULL);
	cr_expect(eq(u64, evaluation->count, EPOCHS));
	cr_expect(eq(u64, evaluation->ns, EPOCHS * 10 * 1500 * US));
}

Test(alone, what_is_written_to_a_file_is_no_step)
{
	expect_steps(train_epochs(0, 1 << 20));
	const struct phase_sum *checkpoint = phase_of(PHASE_CHECKPOINT);
	cr_assert(checkpoint != NULL && phase_of(PHASE_EVALUATION) == NULL);
	cr_expect(eq(u64, checkpoint->count, EPOCHS));
	cr_expect(eq(u64, checkpoint->ns, EPOCHS * 3400 * US));
	cr_expect(eq(u32, checkpoint->place, 8));
	builder_free(&builder);
	/* a line of a log is part of the steps */
	cr_expect(gt(u64, train_epochs(0, 200)->steps.mean_ns, STEP_US * US));
	cr_expect(phase_of(PHASE_CHECKPOINT) == NULL && phase_of(PHASE_EVALUATION) == NULL);
}

Test(alone, an_evaluation_and_a_checkpoint_are_told_apart)
{
	expect_steps(train_epochs(6, 1 << 20));
	const struct phase_sum *evaluation = phase_of(PHASE_EVALUATION);
	const struct phase_sum *checkpoint = phase_of(PHASE_CHECKPOINT);
	cr_assert(evaluation != NULL && checkpoint != NULL);
	cr_expect(eq(u64, evaluation->ns + checkpoint->ns, EPOCHS * (10 * 1500 + 3400) * US));
	cr_expect(eq(u64, checkpoint->ns, EPOCHS * 3000 * US), "the file, not the reads before it");
}
