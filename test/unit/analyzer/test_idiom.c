/* SPDX-License-Identifier: MIT */
/* Advice in the words of what a line does, and how often it does it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/facts/facts.h"
#include "analyzer/report/rules/idiom.h"
#include "test/unit/analyzer/model_report.h"

#define STEPS 40

enum place {
	PLACE_LAUNCH = 1,
	PLACE_READ,
	PLACE_UPLOAD,
};

static void read_value(struct builder *builder, uint64_t bytes, uint32_t name)
{
	uint64_t begin = builder->now_ns;
	builder_copy(builder, 400, COPY_DEVICE_TO_HOST, bytes, MEMORY_PAGEABLE, PLACE_READ);
	builder_sync(builder, 1, PLACE_READ);
	builder_op(builder, begin, name, OP_FUNCTION);
	builder_pause(builder, 300);
}

/* Every so many steps a line reads so often. */
static const struct report *run(
	struct builder *builder, unsigned every, unsigned times, uint64_t bytes, uint32_t name)
{
	*builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder->now_ns;
		for (unsigned launch = 0; launch < 20; launch++)
			builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
		for (unsigned read = 0; read < times && i % every == every / 2; read++)
			read_value(builder, bytes, name);
		builder_launch(builder, 10, NAME_KERNEL_2, PLACE_LAUNCH);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

static bool has(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

Test(idiom, each_operator_has_its_words)
{
	static const struct {
		const char *rule;
		uint32_t name;
		uint64_t bytes;
		const char *advice;
	} cases[] = {
		{"sync-scalar-read", NAME_ITEM, 4, "instead of item()"},
		{"sync-shape-dependent", NAME_NONZERO, 8, "mask of truth values"},
		{"sync-tensor-to-host", NAME_TO, 4096, "cpu(), numpy(), tolist()"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		const struct report *report = run(&builder, 1, 1, cases[i].bytes, cases[i].name);
		const struct finding *found =
			builder_finding(report, cases[i].rule, 10 * PLACE_READ);
		cr_assert(found != NULL, "%s", cases[i].rule);
		cr_expect(has(found->advice, cases[i].advice), "%s", found->advice);
		cr_expect(has(found->advice, "train.py:20"), "%s", found->advice);
		builder_free(&builder);
	}
}

/* The thread of the backward pass has no lines: what else the run does tells who reads there. */
Test(idiom, who_reads_in_the_backward_pass)
{
	static const struct {
		uint64_t searches;
		bool native, its;
	} cases[] = {{40, true, true}, {40, false, false}, {0, true, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		struct facts facts = {.searches = cases[i].searches};
		struct finding found = {.line = 0};
		(void)run(&builder, 1, 1, 32, NAME_COPY);
		builder.report->facts = &facts;
		struct subject subject = {.report = builder.report};
		for (uint32_t spot = 1; spot < builder.model->spots->count; spot++) {
			struct spot *line = &builder.model->spots->items[spot];
			if (line->kind == SPOT_WAIT && line->line == 10 * PLACE_READ) {
				line->native = cases[i].native;
				subject.spot = line;
			}
		}
		cr_assert(subject.spot != NULL);
		idiom_advise(&subject, RULE_ID_sync_tensor_to_host, &found);
		cr_expect(eq(int, has(found.advice, "find_unused_parameters"), cases[i].its));
		builder.report->facts = NULL;
		builder_free(&builder);
	}
}

static const char *event_call(const void *context, uint16_t id)
{
	(void)context;
	return id == 2 ? "cudaEventSynchronize" : "cudaStreamSynchronize";
}

/* It may be there for memory that the host fills anew: to remove it would be wrong. */
Test(idiom, who_waits_for_an_event_may_have_to)
{
	struct builder builder;
	struct spot line = {.kind = SPOT_WAIT};
	(void)run(&builder, 1, 1, 32, NAME_COPY);
	builder.model->lookup.call = event_call;
	for (line.call = 1; line.call < 3; line.call++) {
		struct subject subject = {.report = builder.report, .spot = &line};
		struct finding found = {.where = "train.py:20"};
		idiom_advise(&subject, RULE_ID_sync_explicit, &found);
		cr_expect(eq(int, has(found.advice, "two buffers in turn"), line.call == 2), "%s",
			found.advice);
	}
	builder_free(&builder);
}

/* Some functions of PyTorch's backward pass read by themselves: nobody has switched that on. */
Test(idiom, what_reads_in_the_backward_pass_is_named)
{
	static const struct {
		uint32_t op;
		unsigned rule;
		const char *advice;
	} cases[] = {{NAME_CUMPROD_BACKWARD, RULE_ID_sync_scalar_read, "pass of cumprod looks"},
		{NAME_PROD_BACKWARD, RULE_ID_sync_shape_dependent, "pass of prod asks"},
		{NAME_OWN_BACKWARD, RULE_ID_sync_scalar_read, "set_detect_anomaly"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		struct finding found = {.line = 0};
		(void)run(&builder, 1, 1, 1, NAME_ITEM);
		struct subject subject = {.report = builder.report};
		for (uint32_t spot = 1; spot < builder.model->spots->count; spot++) {
			struct spot *line = &builder.model->spots->items[spot];
			if (line->kind != SPOT_WAIT || line->line != 10 * PLACE_READ)
				continue;
			line->awaited_place = PLACE_READ;
			line->outer_op = cases[i].op;
			subject.spot = line;
		}
		cr_assert(subject.spot != NULL);
		idiom_advise(&subject, cases[i].rule, &found);
		cr_expect(has(found.advice, cases[i].advice), "%s", found.advice);
		builder_free(&builder);
	}
}

/* What launches nothing because it moves nothing is not to be done on the GPU. */
Test(idiom, views_are_no_work_for_the_gpu)
{
	struct builder builder;
	struct facts facts = {.framework = 0};
	struct finding found = {.where = "train.py:20"};
	struct spot line = {.kind = SPOT_OPERATOR, .name = NAME_ITEM};
	(void)run(&builder, 1, 1, 32, NAME_COPY);
	builder.report->facts = &facts;
	struct subject subject = {.report = builder.report, .spot = &line};
	idiom_advise(&subject, RULE_ID_host_operator, &found);
	cr_expect(eq(str, found.advice, ""));
	line.name = NAME_DETACH;
	idiom_advise(&subject, RULE_ID_host_operator, &found);
	cr_expect(has(found.advice, "state_dict()"), "%s", found.advice);
	builder.report->facts = NULL;
	builder_free(&builder);
}

Test(idiom, bursts_are_told_as_bursts)
{
	struct builder builder;
	const struct report *report = run(&builder, 10, 25, 4, NAME_ITEM);
	const struct finding *read = builder_finding(report, "sync-scalar-read", 10 * PLACE_READ);
	cr_assert(read != NULL);
	cr_expect(has(read->evidence, "75 calls in 3 of "), "%s", read->evidence);
	cr_expect(eq(u64, read->calls, 75));
	cr_expect(eq(u64, read->steps_with_calls, 3));
	builder_free(&builder);
}

Test(idiom, a_call_now_and_then_is_not_called_one_per_step)
{
	static const struct {
		unsigned every;
		const char *text;
	} cases[] = {{1, "one call per step"}, {2, "a call in 1"}, {10, "a call in 3 of "}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		const struct report *report = run(&builder, cases[i].every, 1, 4, NAME_ITEM);
		const struct finding *read =
			builder_finding(report, "sync-scalar-read", 10 * PLACE_READ);
		cr_assert(read != NULL);
		cr_expect(has(read->evidence, cases[i].text), "%s", read->evidence);
		builder_free(&builder);
	}
}

/* Copies to the device that hold the host. */
static const struct report *upload(
	struct builder *builder, uint64_t bytes, enum memory_kind memory, bool waits)
{
	*builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder->now_ns;
		builder_copy(builder, 300, COPY_HOST_TO_DEVICE, bytes, memory, PLACE_UPLOAD);
		if (waits)
			builder_sync(builder, 300, PLACE_UPLOAD);
		builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

Test(idiom, pinned_memory_is_no_advice_for_a_few_bytes_or_pinned_sources)
{
	struct builder builder;
	const struct report *report = upload(&builder, 64, MEMORY_PAGEABLE, false);
	const struct finding *copy =
		builder_finding(report, "copy-pageable-async", 10 * PLACE_UPLOAD);
	cr_assert(copy != NULL);
	cr_expect(has(copy->advice, "pinned memory would not help"), "%s", copy->advice);
	builder_free(&builder);
	report = upload(&builder, 1 << 20, MEMORY_PAGEABLE, false);
	copy = builder_finding(report, "copy-pageable-async", 10 * PLACE_UPLOAD);
	cr_assert(copy != NULL);
	/* no loader that could pin its batches */
	cr_expect(has(copy->advice, "once and before the loop"), "%s", copy->advice);
	builder.report->counted[MODEL_LOADS] = STEPS;
	struct finding loaded = {.line = 0};
	struct subject subject = {
		.report = report, .spot = &builder.model->spots->items[copy->spot]};
	subject.counted[SPOT_CALLS] = 1;
	subject.counted[SPOT_BYTES] = 1 << 20;
	idiom_advise(&subject, RULE_ID_copy_pageable_async, &loaded);
	cr_expect(eq(str, loaded.advice, ""), "%s", loaded.advice);
	builder_free(&builder);
	report = upload(&builder, 1 << 20, MEMORY_PINNED, true);
	copy = builder_finding(report, "copy-sync-large", 10 * PLACE_UPLOAD);
	cr_assert(copy != NULL);
	cr_expect(has(copy->advice, "pinned already"), "%s", copy->advice);
	builder_free(&builder);
}

/* Launching is slow; with graphs or without. */
static const struct report *launches(struct builder *builder, bool graphs)
{
	const struct record graph = {
		.kind = RECORD_GRAPH, .call = 6, .d = RECORD_LAUNCH_GRAPH, .c = 3};
	*builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder->now_ns;
		for (unsigned launch = 0; launch < 100; launch++)
			builder_launch(builder, 20, NAME_KERNEL, PLACE_LAUNCH);
		if (graphs)
			call(builder, 20, graph);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		builder_sync(builder, 2, PLACE_READ);
	}
	return builder_finish(builder);
}

Test(idiom, graphs_are_no_advice_for_who_replays_them)
{
	for (unsigned graphs = 0; graphs < 2; graphs++) {
		struct builder builder;
		const struct report *report = launches(&builder, graphs != 0);
		const struct finding *bound = NULL;
		for (unsigned i = 0; i < report->finding_count; i++)
			if (strcmp(report->findings[i].rule->name, "launch-bound") == 0)
				bound = &report->findings[i];
		cr_assert(bound != NULL);
		cr_expect(eq(int, has(bound->advice, "or CUDA graphs"), graphs == 0), "%s",
			bound->advice);
		cr_expect(eq(int, has(bound->advice, "replayed already"), graphs != 0), "%s",
			bound->advice);
		builder_free(&builder);
	}
}

Test(idiom, compiling_is_no_advice_for_what_is_compiled)
{
	static const unsigned rules[] = {RULE_ID_launch_bound, RULE_ID_launch_short_kernels,
		RULE_ID_fusible_kernels, RULE_ID_gpu_bound};
	struct builder builder;
	launches(&builder, false);
	struct facts facts = {.compiled = 0};
	builder.report->facts = &facts;
	const struct subject whole = {.report = builder.report};
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct finding finding = {.where = "train.py:10"};
		facts.compiled = 0;
		idiom_advise(&whole, rules[i], &finding);
		cr_expect(eq(str, finding.advice, ""), "the rule's own: %s", finding.advice);
		facts.compiled = 1;
		idiom_advise(&whole, rules[i], &finding);
		cr_expect(has(finding.advice, "compile"), "%s", finding.advice);
		cr_expect(not(has(finding.advice, "torch.compile)")), "%s", finding.advice);
	}
	struct finding replayed = {.advice = "Graphs are replayed already"};
	idiom_advise(&whole, RULE_ID_launch_bound, &replayed);
	cr_expect(eq(str, replayed.advice, "Graphs are replayed already"));
	builder.report->facts = NULL;
	builder_free(&builder);
}

static const char *pin_text(const void *context, uint32_t id)
{
	(void)context;
	(void)id;
	return "aten::pin_memory";
}

Test(idiom, a_loop_that_loads_by_itself_has_no_loader_to_set)
{
	struct builder builder;
	const struct report *report = run(&builder, 1, 1, 4, NAME_ITEM);
	const struct subject whole = {.report = report};
	struct finding input = {.where = "train.py:7"}, loaded = {.line = 0};
	idiom_advise(&whole, RULE_ID_input_bound, &input);
	cr_expect(has(input.advice, "begin the next batches before train.py:7 waits"), "%s",
		input.advice);
	builder.report->counted[MODEL_LOADS] = STEPS;
	idiom_advise(&whole, RULE_ID_input_bound, &loaded);
	cr_expect(eq(str, loaded.advice, ""), "%s", loaded.advice);
	const struct spot spot = {.kind = SPOT_OPERATOR, .outer_op = 1};
	const struct subject pins = {.report = report, .spot = &spot};
	struct finding pinned = {.where = "train.py:8"};
	builder.model->lookup.text = pin_text;
	idiom_advise(&pins, RULE_ID_host_operator, &pinned);
	cr_expect(has(pinned.advice, "pin_memory() at train.py:8 copies"), "%s", pinned.advice);
	builder_free(&builder);
}
