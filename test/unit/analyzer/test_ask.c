/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "collector/base/err.h"
#include "test/unit/analyzer/model_report.h"

#define STEPS 40

enum place {
	PLACE_LAUNCH = 1,
	PLACE_ITEM,
	PLACE_WAIT,
};

/* Two lines wait for the device, and the loader takes its time. */
static const struct report *run(struct builder *builder, const struct rule_ask *asks, size_t count)
{
	*builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder->now_ns;
		builder_pause(builder, 300);
		builder_op(builder, begin, NAME_LOADER, OP_USER_SCOPE);
		builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
		begin = builder->now_ns;
		builder_copy(builder, 400, COPY_DEVICE_TO_HOST, 4, MEMORY_PAGEABLE, PLACE_ITEM);
		builder_sync(builder, 1, PLACE_ITEM);
		builder_op(builder, begin, NAME_ITEM, OP_FUNCTION);
		builder_pause(builder, 400);
		builder_launch(builder, 10, NAME_KERNEL, PLACE_LAUNCH);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		builder_sync(builder, 300, PLACE_WAIT);
	}
	cr_assert(model_finish(builder->model) == 0);
	const struct report_input input = {.model = builder->model,
		.thresholds = &builder->thresholds,
		.reader = {.clean_end = true},
		.complete = true,
		.asks = asks,
		.ask_count = count};
	report_build(builder->report, &input);
	return builder->report;
}

Test(ask, what_is_written)
{
	static const struct {
		const char *text;
		int err;
	} cases[] = {
		{"without=input-bound", 0},
		{"without=input-bound,line=train.py:36", 0},
		{"line=src/train.py:36,without=sync-scalar-read", 0},
		{"line=train.py:36", 0},
		{"without=idle_sync", 0},
		{"without=idle_sync,line=train.py:36", -ERR_BAD_VALUE},
		{"without=device_compute", -ERR_UNKNOWN_NAME},
		{"without=", -ERR_UNKNOWN_NAME},
		{"without=input-bounds", -ERR_UNKNOWN_NAME},
		{"", -ERR_BAD_VALUE},
		{"input-bound", -ERR_BAD_VALUE},
		{"line=train.py", -ERR_BAD_VALUE},
		{"line=:36", -ERR_BAD_VALUE},
		{"line=a.py:1,line=b.py:2", -ERR_BAD_VALUE},
		{"without=input-bound,", -ERR_BAD_VALUE},
	};
	struct rule_ask ask;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(int, rule_ask_parse(cases[i].text, &ask), cases[i].err), "%s",
			cases[i].text);
}

Test(ask, the_answer_is_the_gain_of_the_finding)
{
	static const char *const texts[] = {"without=sync-scalar-read,line=train.py:20",
		"line=train.py:20", "without=sync-scalar-read,line=other.py:20",
		"without=sync-scalar-read,line=rain.py:20", "without=input-bound"};
	struct rule_ask asks[5];
	for (size_t i = 0; i < 5; i++)
		cr_assert(eq(int, rule_ask_parse(texts[i], &asks[i]), 0));
	struct builder builder;
	const struct report *report = run(&builder, asks, 5);
	const struct finding *item = builder_finding(report, "sync-scalar-read", 10 * PLACE_ITEM);
	const struct finding *input = builder_finding(report, "input-bound", 0);
	cr_assert(item != NULL && input != NULL);
	cr_assert(eq(uint, report->answer_count, 6));
	cr_expect(eq(dbl, report->answers[0].gain_pct, item->gain_pct));
	cr_expect(eq(u64, report->answers[0].predicted_ns, item->predicted_ns));
	cr_expect(eq(dbl, report->answers[1].gain_pct, item->gain_pct));
	cr_expect(eq(dbl, report->answers[2].gain_pct, REPORT_UNKNOWN_PCT));
	cr_expect(eq(dbl, report->answers[3].gain_pct, REPORT_UNKNOWN_PCT)); /* another file */
	cr_expect(eq(dbl, report->answers[4].gain_pct, input->gain_pct));
	/* together they gain at least what the better one does */
	cr_expect(report->answers[5].gain_pct >= item->gain_pct);
	cr_expect(report->answers[5].gain_pct >= input->gain_pct);
	builder_free(&builder);
}

Test(ask, a_rule_that_is_switched_off_finds_nothing)
{
	static struct rule_choices choices;
	struct builder builder;
	const struct report *report = run(&builder, NULL, 0);
	cr_assert(builder_finding(report, "sync-scalar-read", 10 * PLACE_ITEM) != NULL);
	choices.off[rule_find("sync-scalar-read")] = true;
	choices.fixed[rule_find("input-bound")] = true;
	choices.severity[rule_find("input-bound")] = SEVERITY_LOW;
	const struct report_input input = {.model = builder.model,
		.thresholds = &builder.thresholds,
		.choices = &choices,
		.reader = {.clean_end = true},
		.complete = true};
	report_build(builder.report, &input);
	cr_expect(builder_finding(report, "sync-scalar-read", 10 * PLACE_ITEM) == NULL);
	const struct finding *bound = builder_finding(report, "input-bound", 0);
	cr_assert(bound != NULL);
	cr_expect(eq(int, bound->severity, SEVERITY_LOW));
	builder_free(&builder);
}
