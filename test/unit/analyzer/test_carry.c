/* SPDX-License-Identifier: MIT */
/*
 * Operators of steps that were recorded without them. The truth is the same program with all of
 * its operators: a loop whose host works long inside of operators around the launches, with a
 * backward pass on a thread of its own and an evaluation now and then.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/carry/carry.h"
#include "test/unit/analyzer/model_builder.h"

#define STEPS     400u
#define FIRST     40u /* with operators; then EACH of AMONG */
#define EACH      4u
#define AMONG     40u
#define EVALUATES 50u

enum {
	PLACE_FORWARD = 1,
	PLACE_READ = 4,
	PLACE_TEST = 6,
	PLACE_SORT = 11,
	PLACE_INDEX,
	TRAINS = 1,
	BACKWARD
};

struct program {
	struct builder builder;
	struct carry *carry;
	bool some; /* operators in some steps only */
	bool bare; /* none now */
	bool held; /* the backward pass has no processor at times */
	uint32_t thread;
	uint64_t put, held_at;
};

static int take(void *context, uint32_t thread, const struct record *records, size_t count)
{
	struct program *program = context;
	return model_add(program->builder.model, thread, records, count);
}

static int put(void *context, uint32_t thread, const struct record *op)
{
	struct program *program = context;
	program->put++;
	return model_carry(program->builder.model, thread, op);
}

static void give(struct program *program, const struct record *record)
{
	cr_assert(eq(int, carry_add(program->carry, program->thread, record, 1), 0));
}

/* What the operator does before the launch and behind it, some of it varying. */
static void launch_in(struct program *program, uint64_t before_us, uint32_t name, uint32_t place,
	uint64_t after_us, enum op_scope scope)
{
	struct builder *builder = &program->builder;
	struct record launch = {.kind = RECORD_LAUNCH,
		.call = 1,
		.name = scope == OP_FUNCTION ? NAME_KERNEL : NAME_KERNEL_2,
		.place = place};
	struct record op = {.kind = RECORD_OP, .name = name, .begin = builder->now_ns};
	record_set_OP_scope(&op, scope);
	builder_pause(builder, before_us);
	if (program->held && place == 0 && ++program->held_at % 40 == 39)
		builder_pause(builder, 5000);
	launch.begin = builder->now_ns;
	builder_pause(builder, 5);
	launch.end = builder->now_ns;
	give(program, &launch);
	builder_pause(builder, after_us);
	op.end = builder->now_ns;
	if (!program->bare)
		give(program, &op);
}

static void forward(struct program *program, uint32_t place, uint64_t vary)
{
	for (unsigned i = 0; i < 3; i++) {
		launch_in(program, 70 + vary, NAME_COPY, place + i, 60, OP_FUNCTION);
		builder_pause(&program->builder, 90); /* the script's own code */
	}
}

static void backward(struct program *program)
{
	program->thread = BACKWARD;
	for (unsigned i = 0; i < 3; i++)
		launch_in(program, 80, NAME_BACKWARD, i == 0 ? PLACE_READ : 0, 20,
			OP_BACKWARD_FUNCTION);
	program->thread = TRAINS;
}

/* An operator on the host that launches nothing, in which the device idles, with one inside. */
static void on_host(struct program *program, uint64_t us, uint32_t place)
{
	struct builder *builder = &program->builder;
	struct record op = {
		.kind = RECORD_OP, .name = NAME_TO, .place = place, .begin = builder->now_ns};
	struct record inner = {
		.kind = RECORD_OP, .name = NAME_COPY, .begin = builder->now_ns + 5000};
	builder_pause(builder, us);
	op.end = builder->now_ns;
	inner.end = builder->now_ns - 5000;
	if (!program->bare) {
		give(program, &inner);
		give(program, &op);
	}
	builder_pause(builder, 30);
}

static void sort(struct program *program, uint64_t us)
{
	on_host(program, us, PLACE_SORT);
	on_host(program, 200, PLACE_INDEX);
}

static void end_step(struct program *program)
{
	struct builder *builder = &program->builder;
	struct record read = {.kind = RECORD_COPY,
		.call = 3,
		.place = PLACE_READ,
		.a = 4,
		.b = record_bits_direction(COPY_DEVICE_TO_HOST)};
	struct record range = {.kind = RECORD_OP, .name = NAME_OPTIMIZER, .begin = builder->now_ns};
	read.begin = builder->now_ns;
	builder_pause(builder, 20);
	read.end = builder->now_ns;
	give(program, &read);
	record_set_OP_scope(&range, OP_USER_SCOPE);
	builder_pause(builder, 10);
	range.end = builder->now_ns;
	give(program, &range);
}

static void turn(struct program *program, unsigned next)
{
	bool bare = program->some && next >= FIRST && next % AMONG >= EACH;
	struct record record = {.kind = RECORD_BURST,
		.begin = program->builder.now_ns,
		.end = program->builder.now_ns};
	if (bare == program->bare)
		return;
	record_set_BURST_operators(&record, !bare);
	record_set_BURST_cost(&record, bare ? 251 : 0);
	program->bare = bare;
	give(program, &record);
}

static void run_with(struct program *program, bool some, bool held)
{
	const struct carry_sink sink = {program, take, put};
	*program = (struct program){
		.builder = builder_new(), .some = some, .held = held, .thread = TRAINS};
	program->carry = carry_new(&sink);
	cr_assert(ne(ptr, program->carry, NULL));
	for (unsigned step = 0; step < STEPS; step++) {
		forward(program, PLACE_FORWARD, step % 3 * 10);
		backward(program);
		end_step(program);
		turn(program, step + 1);
		sort(program, 300 + step % 7 * 10);
		if (step % EVALUATES == EVALUATES - 1)
			for (unsigned batch = 0; batch < 4; batch++)
				forward(program, PLACE_TEST, 0);
	}
	cr_assert(eq(int, carry_finish(program->carry), 0));
	struct carry_counts counts = carry_counts(program->carry);
	program->builder.model->bare.calls = counts.calls;
	program->builder.model->bare.known = counts.known;
	cr_assert(eq(int, model_finish(program->builder.model), 0));
	const struct report_input input = {.model = program->builder.model,
		.thresholds = &program->builder.thresholds,
		.complete = true};
	report_build(program->builder.report, &input);
}

static void run(struct program *program, bool some)
{
	run_with(program, some, false);
}

static void end(struct program *program)
{
	carry_free(program->carry);
	builder_free(&program->builder);
}

static struct program all, some;

static void expect_same_account(void)
{
	const struct report *truth = all.builder.report, *found = some.builder.report;
	cr_expect(eq(u64, found->steps.mean_ns, truth->steps.mean_ns));
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
		double is = (double)found->account[cause].tenths / 10,
		       was = (double)truth->account[cause].tenths / 10;
		cr_expect(epsilon_eq(dbl, is, was, 2.0), "%s: %.1f %%, not %.1f %%",
			cause_infos[cause].name, is, was);
	}
}

static bool is_found(const struct report *report, const char *rule, uint64_t line)
{
	for (unsigned i = 0; i < report->finding_count; i++)
		if (strcmp(report->findings[i].rule->name, rule) == 0 &&
			report->findings[i].line == line)
			return true;
	return false;
}

Test(carry, the_account_is_as_with_all_operators)
{
	run(&all, false);
	run(&some, true);
	const struct report *truth = all.builder.report, *found = some.builder.report;
	cr_assert(gt(u64, truth->steps.steady, 300));
	cr_expect(eq(u64, found->steps.steady, truth->steps.steady));
	expect_same_account();
	cr_expect(gt(u32, truth->account[CAUSE_IDLE_LAUNCH].tenths, 300));
	cr_expect(gt(u32, truth->account[CAUSE_IDLE_HOST].tenths, 50));
	cr_expect(is_found(truth, "host-operator", 10 * PLACE_SORT));
	cr_expect(is_found(truth, "host-operator", 10 * PLACE_INDEX));
	cr_expect(is_found(truth, "launch-bound", 10 * PLACE_FORWARD));
	cr_expect(eq(int, found->verdict.class, truth->verdict.class));
	cr_expect(eq(u32, found->finding_count, truth->finding_count));
	for (unsigned i = 0; i < found->finding_count && i < truth->finding_count; i++) {
		cr_expect(eq(ptr, (void *)(uintptr_t)found->findings[i].rule,
			(void *)(uintptr_t)truth->findings[i].rule));
		cr_expect(eq(u64, found->findings[i].line, truth->findings[i].line));
		cr_expect(epsilon_eq(
			dbl, found->findings[i].gain_pct, truth->findings[i].gain_pct, 2.0));
	}
	end(&all);
	end(&some);
}

/* A thread that waits for a processor does so in the operators that fill its time. */
Test(carry, a_longer_gap_that_operators_fill_is_theirs)
{
	run_with(&all, false, true);
	run_with(&some, true, true);
	expect_same_account();
	cr_expect(gt(u32, all.builder.report->account[CAUSE_IDLE_LAUNCH].tenths, 400));
	end(&all);
	end(&some);
}

Test(carry, a_step_without_operators_is_no_evaluation)
{
	run(&all, false);
	run(&some, true);
	const struct phases *truth = &all.builder.model->steps.phases,
			    *found = &some.builder.model->steps.phases;
	cr_assert(eq(u32, truth->count, 1));
	cr_expect(eq(int, truth->items[0].phase, PHASE_EVALUATION));
	cr_expect(eq(u64, truth->items[0].count, STEPS / EVALUATES));
	cr_expect(eq(u32, found->count, truth->count));
	cr_expect(eq(u64, found->items[0].count, truth->items[0].count));
	cr_expect(eq(u64, found->items[0].ns, truth->items[0].ns));
	cr_expect(eq(u64, some.builder.report->counted[MODEL_BACKWARD_NS] / 1000000,
		all.builder.report->counted[MODEL_BACKWARD_NS] / 1000000));
	end(&all);
	end(&some);
}

Test(carry, operators_are_counted_where_they_were_recorded)
{
	run(&all, false);
	run(&some, true);
	const struct report *truth = all.builder.report, *found = some.builder.report;
	uint64_t covered = found->counted[MODEL_COVERED];
	cr_expect(eq(u64, truth->counted[MODEL_COVERED], truth->steps.steady));
	cr_expect(lt(u64, covered, found->steps.steady / 4));
	/* what comes behind the last step's end may count or not */
	cr_expect(epsilon_eq(dbl, (double)found->counted[MODEL_OPS] / (double)covered,
		(double)truth->counted[MODEL_OPS] / (double)truth->steps.steady, 0.02));
	cr_expect(eq(u64, found->counted[MODEL_LAUNCHES], truth->counted[MODEL_LAUNCHES]));
	/* two changes for each burst, and what was not recorded: what was put in is no event */
	cr_expect(lt(u64, some.builder.model->events, all.builder.model->events));
	const struct bare *bare = &some.builder.model->bare;
	cr_expect(eq(u32, bare->cost, 251));
	cr_expect(lt(u64, bare->known, bare->calls), "the first evaluations are new");
	cr_expect(gt(u64, 100 * bare->known, 98 * bare->calls));
	/* around six of seven calls, and one without a call */
	cr_expect(gt(u64, 7 * some.put, 6 * bare->calls));
	cr_expect(gt(dbl, bare_factor(bare), 4));
	cr_expect(eq(u64, all.put, 0));
	end(&all);
	end(&some);
}

/* Of some calls of a line a part is in an operator: is one put around the next one? */
static bool is_put(unsigned enclosed, unsigned others)
{
	struct program program = {.builder = builder_new(), .thread = TRAINS};
	const struct carry_sink sink = {&program, take, put};
	program.carry = carry_new(&sink);
	for (unsigned i = 0; i < enclosed + others; i++) {
		program.bare = i >= enclosed;
		launch_in(&program, 20, NAME_COPY, 3, 10, OP_FUNCTION);
		builder_pause(&program.builder, 10);
	}
	const struct record off = {.kind = RECORD_BURST,
		.begin = program.builder.now_ns,
		.end = program.builder.now_ns};
	program.bare = true;
	give(&program, &off);
	launch_in(&program, 50, 0, 3, 50, OP_FUNCTION);
	cr_assert(eq(int, carry_finish(program.carry), 0));
	end(&program);
	return program.put == 1;
}

Test(carry, says_nothing_of_what_it_does_not_know)
{
	cr_expect(not(is_put(0, 0)), "never met");
	cr_expect(not(is_put(0, 8)), "never in an operator");
	cr_expect(not(is_put(4, 4)), "sometimes");
	cr_expect(is_put(6, 2));
	cr_expect(is_put(4, 0));
}

#define THREADS 1100u /* some more than are known */

/* Of those beyond nothing is put in, but all is passed on, and bursts on them count. */
Test(carry, threads_beyond_those_that_are_known)
{
	struct program program = {.builder = builder_new()};
	const struct carry_sink sink = {&program, take, put};
	program.carry = carry_new(&sink);
	for (program.thread = 1; program.thread <= THREADS; program.thread++)
		for (unsigned i = 0; i < 4; i++) {
			launch_in(&program, 20, NAME_COPY, 3, 10, OP_FUNCTION);
			builder_pause(&program.builder, 10);
		}
	const struct record off = {.kind = RECORD_BURST,
		.begin = program.builder.now_ns,
		.end = program.builder.now_ns};
	program.bare = true;
	program.thread = THREADS;
	give(&program, &off);
	for (program.thread = 1; program.thread <= THREADS; program.thread++) {
		launch_in(&program, 20, NAME_COPY, 3, 10, OP_FUNCTION);
		builder_pause(&program.builder, 10);
	}
	cr_assert(eq(int, carry_finish(program.carry), 0));
	const struct carry_counts counts = carry_counts(program.carry);
	cr_expect(eq(u64, counts.calls, THREADS));
	cr_expect(eq(u64, counts.known, 1024));
	cr_expect(eq(u64, program.put, 1024));
	cr_expect(eq(u64, program.builder.model->kinds[RECORD_LAUNCH], 5 * THREADS));
	end(&program);
}
