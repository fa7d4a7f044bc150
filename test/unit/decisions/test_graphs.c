/* SPDX-License-Identifier: MIT */
/* MindSpore without a GPU: which graphs and gradients end steps, and what lies between those. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/device_builder.h"
#include "test/unit/analyzer/model_report.h"

static struct builder builder;

static void end(void)
{
	builder_free(&builder);
}

TestSuite(graphs, .fini = end);

static void wait_at(uint64_t us, uint32_t place)
{
	uint64_t begin = builder.now_ns;
	builder_pause(&builder, us);
	builder_add(&builder, &(struct record){.begin = begin,
				      .end = builder.now_ns,
				      .kind = RECORD_INPUT,
				      .place = place,
				      .c = record_bits_INPUT_what(INPUT_LOCK) |
					   record_bits_INPUT_medium(MEDIUM_PIPE)});
}

static void call_graph(uint64_t us, uint32_t name)
{
	uint64_t begin = builder.now_ns;
	builder_pause(&builder, us);
	builder_add(&builder, &(struct record){.begin = begin,
				      .end = builder.now_ns,
				      .kind = RECORD_OP,
				      .name = name,
				      .place = BUILDER_GRAPH,
				      .c = record_bits_OP_framework(OP_MINDSPORE)});
}

/* MindSpore without a data set: graphs or gradients, and waits for its own threads or for data. */
static const struct report *train_in_graphs(uint32_t name, uint32_t place)
{
	builder = builder_new();
	for (unsigned i = 0; i < 50; i++) {
		call_graph(100, NAME_GRADIENTS);
		call_graph(100, name);
		wait_at(3500, place);
	}
	return builder_finish(&builder);
}

Test(graphs, graphs_end_steps_and_their_framework_waits_for_them)
{
	const struct report *report = train_in_graphs(NAME_GRAPH, BUILDER_GRAPH);
	cr_expect(eq(u64, report->steps.count, 50));
	cr_expect(eq(int, report->verdict.class, VERDICT_CPU));
	cr_expect(builder_pct(report, CAUSE_IDLE_INPUT) < 1);
}

Test(graphs, what_a_data_set_waits_for_is_data)
{
	const struct report *report = train_in_graphs(NAME_GRAPH, BUILDER_DATA);
	cr_expect(eq(u64, report->steps.count, 50));
	cr_expect(eq(int, report->verdict.class, VERDICT_IO));
}

static void draw(uint64_t us, uint32_t place)
{
	uint64_t begin = builder.now_ns;
	builder_pause(&builder, us);
	builder_add(&builder, &(struct record){.begin = begin,
				      .end = builder.now_ns,
				      .kind = RECORD_OP,
				      .name = NAME_GET_NEXT,
				      .place = place,
				      .c = record_bits_OP_framework(OP_MINDSPORE) |
					   record_bits_OP_scope(OP_USER_SCOPE)});
}

/* Epochs with an evaluation, whose batches may come by the same line; of graphs or operators. */
static const struct report *fit_both(bool graph, uint32_t other_place)
{
	builder = builder_new();
	for (unsigned epoch = 0; epoch < 4; epoch++) {
		for (unsigned i = 0; i < 20; i++) {
			draw(100, 5);
			call_graph(1000, graph ? NAME_GRAPH_TRAIN : NAME_KERNEL);
			if (graph)
				continue;
			call_graph(400, NAME_GRADIENTS);
			call_graph(100, NAME_OPTIMIZER);
		}
		for (unsigned i = 0; i < 8; i++) {
			draw(100, other_place);
			call_graph(4000, graph ? NAME_GRAPH_PREDICT : NAME_KERNEL_2);
		}
	}
	return builder_finish(&builder);
}

static void expect_fit(const struct report *report, uint64_t most_us)
{
	cr_expect(eq(u64, report->steps.count, 80));
	cr_expect(report->steps.mean_ns < most_us * US, "%llu",
		(unsigned long long)report->steps.mean_ns);
	cr_expect(report->model->steps.phases.count > 0 &&
		  report->model->steps.phases.items[0].phase == PHASE_EVALUATION &&
		  report->model->steps.phases.items[0].count == 4);
}

Test(graphs, a_network_that_trains_as_one_graph_steps_not_its_evaluation)
{
	expect_fit(fit_both(true, 5), 1300);
	builder_free(&builder);
	expect_fit(fit_both(true, 6), 1300);
}

/* Batches that no gradients follow. */
Test(graphs, operators_between_batches_without_gradients_are_evaluation)
{
	expect_fit(fit_both(false, 5), 1900);
	builder_free(&builder);
	expect_fit(fit_both(false, 6), 1900);
}

Test(graphs, gradients_end_steps_where_nothing_else_does)
{
	const struct report *report = train_in_graphs(NAME_KERNEL, BUILDER_GRAPH);
	cr_expect(eq(u64, report->steps.count, 50));
}

static void operate(uint64_t us, uint32_t name, enum op_scope scope, uint32_t place)
{
	uint64_t begin = builder.now_ns;
	builder_pause(&builder, us);
	builder_add(&builder,
		&(struct record){.begin = begin,
			.end = builder.now_ns,
			.kind = RECORD_OP,
			.name = name,
			.place = place,
			.c = record_bits_OP_framework(OP_MINDSPORE) | record_bits_OP_scope(scope)});
}

/* Operator by operator, as far as the result, which the host reads. */
static void run_forward(uint32_t line)
{
	operate(100, NAME_KERNEL, OP_FUNCTION, 0);
	operate(100, NAME_KERNEL_2, OP_FUNCTION, 0);
	operate(2000, NAME_READ, OP_FUNCTION, line);
}

/* What an epoch evaluates are arrays that the program has: no batch is drawn for them. */
Test(graphs, an_evaluation_of_own_arrays_is_no_part_of_a_step)
{
	builder = builder_new();
	for (unsigned epoch = 0; epoch < 4; epoch++) {
		for (unsigned i = 0; i < 20; i++) {
			run_forward(4);
			operate(500, NAME_GRADIENTS, OP_FUNCTION, 6);
			operate(300, NAME_OPTIMIZER, OP_USER_SCOPE, 7);
		}
		for (unsigned i = 0; i < 30; i++)
			run_forward(9);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, report->steps.count, 80));
	cr_expect(report->steps.mean_ns < 3100 * US, "%llu",
		(unsigned long long)report->steps.mean_ns);
}

static void around(uint64_t begin, uint32_t name, uint32_t place)
{
	builder_add(&builder, &(struct record){.begin = begin,
				      .end = builder.now_ns,
				      .kind = RECORD_OP,
				      .name = name,
				      .place = place,
				      .c = record_bits_OP_framework(OP_MINDSPORE)});
}

/* A loss that is read in some steps waits for those before: no operator of an evaluation. */
Test(graphs, a_result_that_is_awaited_now_and_then_is_part_of_the_steps)
{
	builder = builder_new();
	for (unsigned i = 0; i < 80; i++) {
		uint64_t begin = builder.now_ns;
		operate(3000, NAME_OWN_QUEUE, OP_FUNCTION, 6);
		operate(0, NAME_OWN_QUEUE, OP_FUNCTION, 0);
		wait_at(400, 6);
		builder_pause(&builder, 100);
		around(begin, NAME_GRAPH, 6);
		if (i % 10 != 9)
			continue;
		begin = builder.now_ns;
		operate(6000, NAME_OWN_QUEUE, OP_FUNCTION, 9);
		operate(0, NAME_OWN_QUEUE, OP_FUNCTION, 0);
		around(begin, NAME_READ, 9);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, report->steps.count, 80));
	cr_expect(zero(sz, report->model->steps.phases.count));
	cr_expect(report->steps.mean_ns > 4000 * US && report->steps.mean_ns < 4300 * US, "%llu",
		(unsigned long long)report->steps.mean_ns);
}
