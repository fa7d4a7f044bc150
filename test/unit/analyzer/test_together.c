/* SPDX-License-Identifier: MIT */
/*
 * Waits that show steps and an evaluation together, in a loop whose host runs ahead and whose
 * device reports nothing: how the time is divided between them is an estimate, and is told so. A
 * step takes 2 ms, an evaluation of six batches 12 ms; every tenth step is followed by one, whose
 * result is waited for.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/ahead_loop.h"

#define STEPS   60u
#define BATCHES 6u
#define EVERY   10u
#define NEVER   EVERY

struct loop {
	const char *name;
	bool measured;   /* the device reports what it does */
	unsigned waited; /* the host waits after that one of ten steps too */
	bool is_divided; /* the waits show how long a step takes */
};

static void launch_from(struct builder *builder, uint32_t kernel, uint32_t place, bool noted)
{
	builder_launch(builder, 10, kernel, place);
	uint64_t begin_ns = free_ns > builder->now_ns ? free_ns : builder->now_ns;
	free_ns = begin_ns + DEVICE_US * US;
	if (!noted)
		return;
	device_call(&notes, builder, 10);
	device_work(&notes, builder, RECORD_DEVICE_KERNEL, kernel,
		(int64_t)((begin_ns - builder->now_ns) / US), DEVICE_US);
}

static void evaluate(struct builder *builder, bool noted)
{
	for (unsigned batch = 0; batch < BATCHES; batch++) {
		launch_from(builder, NAME_KERNEL, 5, noted);
		launch_from(builder, NAME_KERNEL_2 + batch % 2, 6, noted);
	}
	drain(builder);
}

static void train(struct builder *builder, const struct loop *loop)
{
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin_ns = builder->now_ns;
		launch_from(builder, NAME_KERNEL, 1, loop->measured);
		builder_op(builder, builder->now_ns, NAME_BACKWARD, OP_FUNCTION);
		launch_from(builder, NAME_KERNEL_2, 2, loop->measured);
		device_step(builder, begin_ns);
		if (step % EVERY == loop->waited)
			drain(builder);
		if (step % EVERY == EVERY - 1)
			evaluate(builder, loop->measured);
	}
}

static bool doubts(const struct report *report, enum doubt_id id)
{
	for (unsigned i = 0; i < report->verdict.doubt_count; i++)
		if (report->verdict.doubts[i].id == id)
			return true;
	return false;
}

Test(together, a_step_is_an_estimate_where_no_wait_shows_it_alone)
{
	static const struct loop cases[] = {
		{"the evaluation's result is the only wait", false, NEVER, false},
		{"all steps are waited for before it begins", false, EVERY - 1, true},
		{"half of the steps are waited for", false, EVERY / 2 - 1, true},
		{"the device says what it did", true, NEVER, true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct loop *loop = &cases[i];
		struct builder builder = loop->measured ? begin_loop() : builder_new();
		char mean[128];
		free_ns = 0;
		train(&builder, loop);
		const struct report *report = finish(&builder);
		const struct steps_summary *steps = &report->steps;
		cr_assert(eq(u32, builder.model->steps.phases.count, 1), "%s", loop->name);
		cr_expect(
			eq(int, doubts(report, DOUBT_PHASES), !loop->is_divided), "%s", loop->name);
		cr_expect(eq(int, report->verdict.confidence == CONFIDENCE_HIGH, loop->is_divided),
			"%s", loop->name);
		report_mean(report, mean, sizeof(mean));
		cr_expect(eq(int, strstr(mean, "an estimate, between") != NULL, !loop->is_divided),
			"%s: %s", loop->name, mean);
		cr_expect(steps->mean_low_ns <= steps->mean_ns &&
				  steps->mean_ns <= steps->mean_high_ns,
			"%s: %s", loop->name, mean);
		if (loop->is_divided)
			cr_expect(steps->mean_ns >= 1990 * US && steps->mean_high_ns <= 2010 * US,
				"%s: %s", loop->name, mean);
		else /* all that is certain is the host's time; the steps may have had the rest */
			cr_expect(steps->mean_low_ns < 900 * US && steps->mean_high_ns > 2500 * US,
				"%s: %s", loop->name, mean);
		builder_free(&builder);
	}
}
