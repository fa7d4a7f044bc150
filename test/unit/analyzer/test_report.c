/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/output/output.h"
#include "test/unit/analyzer/model_report.h"

#define STEPS 40

static void fill(struct builder *builder)
{
	*builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t begin = builder->now_ns;
		for (unsigned launch = 0; launch < 10; launch++)
			builder_launch(builder, 10, NAME_KERNEL, 1);
		builder_sync(builder, 900, 3);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	cr_assert(model_finish(builder->model) == 0);
}

static const struct report *judge(struct builder *builder, struct reader_health file)
{
	const struct report_input input = {.model = builder->model,
		.thresholds = &builder->thresholds,
		.reader = file,
		.complete = true};
	report_build(builder->report, &input);
	return builder->report;
}

Test(health, sound_file)
{
	struct builder builder;
	fill(&builder);
	const struct report *report = judge(&builder, (struct reader_health){.clean_end = true});
	cr_assert(eq(int, report->health.status, HEALTH_GOOD));
	cr_assert(eq(uint, report->health.reason_count, 0));
	cr_assert(eq(int, report->verdict.class, VERDICT_GPU));
	builder_free(&builder);
}

Test(health, a_little_loss_is_named_much_loss_forbids_a_verdict)
{
	struct builder builder;
	fill(&builder);
	const struct report *report =
		judge(&builder, (struct reader_health){.clean_end = true, .lost = 3});
	cr_assert(eq(int, report->health.status, HEALTH_DEGRADED));
	cr_assert(strstr(report->health.reasons[0], "3 events were lost") != NULL);
	cr_assert(eq(int, report->verdict.class, VERDICT_GPU));
	/* 480 events are there: 30 more are 5.9 % of all */
	cr_assert(eq(u64, report->health.events, 480));
	report = judge(&builder, (struct reader_health){.clean_end = true, .lost = 30});
	cr_assert(eq(int, report->health.status, HEALTH_BAD));
	cr_assert(eq(int, report->verdict.class, VERDICT_INSUFFICIENT));
	report = judge(&builder, (struct reader_health){.clean_end = true, .missing = 30});
	cr_assert(eq(int, report->health.status, HEALTH_BAD));
	builder_free(&builder);
}

Test(health, what_is_wrong_with_the_file_is_said)
{
	struct builder builder;
	fill(&builder);
	const struct report *report =
		judge(&builder, (struct reader_health){.truncated = true, .damaged_frames = 2});
	cr_assert(eq(int, report->health.status, HEALTH_DEGRADED));
	cr_assert(eq(uint, report->health.reason_count, 3));
	cr_assert(ne(int, report->verdict.confidence, CONFIDENCE_HIGH));
	builder_free(&builder);
}

/* What is not in order is as good as not there. */
Test(health, many_records_out_of_order_forbid_a_verdict)
{
	static const struct {
		uint64_t late;
		enum health_status status;
	} cases[] = {{0, HEALTH_GOOD}, {3, HEALTH_DEGRADED}, {30, HEALTH_BAD}}; /* of 480 */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		fill(&builder);
		const struct report_input input = {.model = builder.model,
			.thresholds = &builder.thresholds,
			.reader = {.clean_end = true},
			.late = cases[i].late,
			.complete = true};
		report_build(builder.report, &input);
		const struct report *report = builder.report;
		cr_expect(eq(int, report->health.status, cases[i].status));
		cr_expect(eq(int, report->verdict.class == VERDICT_INSUFFICIENT,
			cases[i].status == HEALTH_BAD));
		cr_expect(cases[i].status != HEALTH_DEGRADED ||
			  report->verdict.confidence != CONFIDENCE_HIGH);
		builder_free(&builder);
	}
}

Test(health, stacks_that_tore_are_told)
{
	static const struct {
		uint64_t torn, whole;
		enum health_status status;
		const char *text;
	} cases[] = {
		{0, 5, HEALTH_GOOD, NULL},
		{3, 5, HEALTH_GOOD, "3 of 8 samples of Python stacks changed while they were read"},
		{6, 5, HEALTH_DEGRADED, "6 of 11 samples"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		fill(&builder);
		builder.model->kinds[RECORD_STACK] = cases[i].whole;
		const struct report *report = judge(
			&builder, (struct reader_health){.clean_end = true, .torn = cases[i].torn});
		cr_expect(eq(int, report->health.status, cases[i].status));
		cr_assert(eq(uint, report->health.reason_count, cases[i].text != NULL));
		if (cases[i].text != NULL)
			cr_expect(strstr(report->health.reasons[0], cases[i].text) != NULL, "%s",
				report->health.reasons[0]);
		builder_free(&builder);
	}
}

Test(health, ranges_that_were_lost_are_told)
{
	static const struct {
		uint64_t lost;
		enum health_status status;
		const char *text;
	} cases[] = {
		{0, HEALTH_GOOD, NULL},
		{1, HEALTH_GOOD, "1 ranges or operators were not recorded"},
		{72, HEALTH_DEGRADED, "72 ranges or operators were not recorded"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		fill(&builder);
		builder.model->events = 2000;
		const struct report *report = judge(&builder,
			(struct reader_health){.clean_end = true, .ranges_lost = cases[i].lost});
		cr_expect(eq(int, report->health.status, cases[i].status));
		cr_assert(eq(uint, report->health.reason_count, cases[i].text != NULL));
		if (cases[i].text != NULL)
			cr_expect(strstr(report->health.reasons[0], cases[i].text) != NULL, "%s",
				report->health.reasons[0]);
		builder_free(&builder);
	}
}

/* The report in a form, as text that the caller frees with out_close(). */
static const char *print_wide(const struct output *output, const struct report *report,
	const char *program, unsigned width, struct out *out)
{
	struct output_process about = {.rank = -1, .pid = 42, .events = report->health.events};
	const struct process traced = {0};
	const struct term term = {.width = width};
	snprintf(about.program, sizeof(about.program), "%s", program);
	const struct output_run run = {.processes = &about, .count = 1, .traced = &traced};
	cr_assert(eq(int, out_open_memory(out), 0));
	output->print(out, &term, &run, report);
	out_char(out, '\0');
	return out->buffer;
}

static const char *print(const struct output *output, const struct report *report,
	const char *program, struct out *out)
{
	return print_wide(output, report, program, 80, out);
}

/* What lies between the steps makes none of them longer: only the run gets shorter without it. */
Test(output, a_checkpoint_costs_the_run_and_no_step)
{
	const struct output *outputs[] = {&output_text, &output_json};
	static const char *const wanted[2][2] = {
		{"saves up to 20.0 % of the run; no step gets shorter", NULL},
		{"\"run_pct\": 20.0,", "the run would be at most 20.0 % shorter\""}};
	struct builder builder;
	struct out out;
	fill(&builder);
	struct phases *phases = &builder.model->steps.phases;
	uint64_t run_ns = builder.model->last_ns - builder.model->first_ns;
	phases_add(phases, phases_find(phases, PHASE_CHECKPOINT, 7), 20, run_ns / 5);
	const struct report *report = judge(&builder, (struct reader_health){.clean_end = true});
	const struct finding *finding = builder_finding(report, "step-outlier", 70);
	cr_assert(finding != NULL);
	cr_expect(eq(int, finding->severity, SEVERITY_HIGH));
	cr_expect(finding->gain_pct == REPORT_UNKNOWN_PCT && finding->predicted_ns == 0);
	cr_expect(finding == &report->findings[0] || report->findings[0].gain_pct >= 20);
	for (unsigned i = 0; i < 2; i++) {
		const char *text = print(outputs[i], report, "train.py", &out);
		cr_expect(strstr(text, wanted[i][0]) != NULL, "%s", text);
		cr_expect(i == 0 || strstr(text, wanted[i][1]) != NULL, "%s", text);
		cr_expect(strstr(text, "a step would take at least 0") == NULL);
		out_close(&out);
	}
	builder_free(&builder);
}

/* The engine's name before a backward function is that of all of them. */
Test(output, a_part_of_a_backward_pass_is_called_after_its_function)
{
	struct builder builder;
	struct out out;
	fill(&builder);
	struct report *report =
		(struct report *)judge(&builder, (struct reader_health){.clean_end = true});
	cr_assert(report->finding_count > 0);
	report->findings[0].op = "autograd::engine::evaluate_function: MmBackward0";
	const char *text = print(&output_text, report, "train.py", &out);
	cr_expect(strstr(text, ", MmBackward0\n") != NULL, "%s", text);
	cr_expect(strstr(text, "engine") == NULL, "%s", text);
	out_close(&out);
	builder_free(&builder);
}

Test(output, json_has_what_the_schema_promises)
{
	static const char *const wanted[] = {"\"schema\": \"libtrace-report/1\"", "\"run\": {",
		"\"health\": {", "\"status\": \"good\"", "\"matched_pct\": null", "\"steps\": {",
		"\"count\": 40", "\"warmup\": 10", "\"median_ns\": 1000000", "\"ratios\": {",
		"\"gpu_busy_is\": \"estimated\"", "\"account\": [", "\"cause\": \"device_compute\"",
		"\"verdict\": {", "\"class\": \"gpu\"", "\"findings\": [",
		"\"rule\": \"sync-explicit\"", "\"file\": \"/home/user/train.py\"", "\"line\": 30",
		"\"calls_per_step\": 1.0", "\"tables\": {"};
	struct builder builder;
	struct out out;
	fill(&builder);
	const struct report *report = judge(&builder, (struct reader_health){.clean_end = true});
	const char *text = print(&output_json, report, "train.py", &out);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		cr_expect(strstr(text, wanted[i]) != NULL, "%s in %s", wanted[i], text);
	(void)out_close(&out);
	builder_free(&builder);
}

Test(output, without_steps_numbers_are_unknown_and_not_zero)
{
	struct builder builder = builder_new();
	struct out out;
	const struct report *report = builder_finish(&builder);
	const char *text = print(&output_json, report, "train.py", &out);
	cr_assert(strstr(text, "\"median_ns\": null") != NULL);
	cr_assert(strstr(text, "\"reader_pct\": null") != NULL);
	cr_assert(strstr(text, "\"class\": \"insufficient\"") != NULL);
	(void)out_close(&out);
	text = print(&output_text, report, "train.py", &out);
	cr_assert(strstr(text, "insufficient data") != NULL);
	cr_assert(strstr(text, "unknown") != NULL);
	(void)out_close(&out);
	builder_free(&builder);
}

Test(output, hostile_names_reach_no_terminal)
{
	struct builder builder;
	struct out out;
	fill(&builder);
	const struct report *report = judge(&builder, (struct reader_health){.clean_end = true});
	const char *text = print(&output_text, report, "a\x1b[31mb\n</script>", &out);
	cr_assert(strchr(text, '\x1b') == NULL);
	(void)out_close(&out);
	text = print(&output_json, report, "a\x1b[31mb\n</script>", &out);
	cr_assert(strchr(text, '\x1b') == NULL && strstr(text, "</script>") == NULL);
	(void)out_close(&out);
	builder_free(&builder);
}

Test(output, lines_fit_the_terminal)
{
	struct builder builder;
	struct out out;
	fill(&builder);
	const struct report *report = judge(&builder, (struct reader_health){.clean_end = true});
	const char *text = print(&output_text, report, "train.py", &out);
	for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
		cr_expect(strcspn(line, "\n") <= 100, "%.*s", (int)strcspn(line, "\n"), line);
	(void)out_close(&out);
	builder_free(&builder);
}

Test(output, a_number_and_its_unit_stay_on_one_line)
{
	static const char *const units[] = {"ns", "us", "ms", "%"};
	struct builder builder;
	struct out out;
	fill(&builder);
	const struct report *report = judge(&builder, (struct reader_health){.clean_end = true});
	for (unsigned width = 40; width <= 100; width++) {
		const char *text = print_wide(&output_text, report, "train.py", width, &out);
		for (const char *line = text; line != NULL; line = strchr(line + 1, '\n')) {
			const char *word = line + strspn(line, "\n ");
			for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
				cr_expect(strncmp(word, units[i], strlen(units[i])) != 0,
					"width %u: %.40s", width, word);
		}
		(void)out_close(&out);
	}
	builder_free(&builder);
}

Test(output, a_finding_says_what_is_the_matter)
{
	struct builder builder;
	struct out out;
	fill(&builder);
	const struct report *report = judge(&builder, (struct reader_health){.clean_end = true});
	const char *text = print(&output_text, report, "train.py", &out);
	cr_assert(strstr(text, "waits until the GPU has finished") != NULL, "%s", text);
	cr_assert(
		strstr(text, "sync-explicit: /home/user/train.py:30 in main") != NULL, "%s", text);
	(void)out_close(&out);
	builder_free(&builder);
}
