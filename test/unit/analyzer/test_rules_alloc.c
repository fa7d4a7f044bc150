/* SPDX-License-Identifier: MIT */
/* Memory that is allocated in the loop: when that is a finding, and what it gains. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40

/*
 * 1 ms of which alloc_us go into one call that allocates, in steps first .. until - 1; the host
 * launches and waits for the rest of it, of which the device works until the end.
 */
struct loop {
	const char *name;
	unsigned first, until;
	uint64_t alloc_us, wait_us;
	bool other_thread;
	bool found;
};

static const struct report *run(struct builder *builder, const struct loop *loop)
{
	*builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder->now_ns;
		builder_launch(builder, 10, NAME_KERNEL, 1);
		if (step >= loop->first && step < loop->until) {
			builder->thread = loop->other_thread ? 2 : 1;
			builder_alloc(builder, loop->alloc_us);
			builder->thread = 1;
		}
		builder_pause(builder, 990 - loop->wait_us - loop->alloc_us);
		builder_sync(builder, loop->wait_us, 3);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

Test(rules_alloc, fires_from_its_limit_on_and_for_the_training_thread_only)
{
	static const struct loop loops[] = {
		{"a tenth of each step", 0, STEPS, 100, 2, false, true},
		{"a hundredth of each step", 0, STEPS, 10, 2, false, true},
		{"less than that", 0, STEPS, 9, 2, false, false},
		{"in warm-up only", 0, 10, 100, 2, false, false},
		{"on a thread that launches nothing", 0, STEPS, 100, 2, true, false},
	};
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		struct builder builder;
		const struct report *report = run(&builder, &loops[i]);
		const struct finding *churn = builder_finding(report, "alloc-churn", 0);
		cr_expect(eq(int, churn != NULL, loops[i].found), "%s", loops[i].name);
		builder_free(&builder);
	}
}

Test(rules_alloc, gains_what_the_host_spends_while_the_gpu_is_idle)
{
	const struct loop loop = {"idle", 0, STEPS, 400, 2, false, true};
	struct builder builder;
	const struct report *report = run(&builder, &loop);
	const struct finding *churn = builder_finding(report, "alloc-churn", 0);
	cr_assert(churn != NULL);
	cr_assert(eq(dbl, churn->calls_per_step, 1.0));
	cr_assert(eq(u64, churn->host_ns, 400 * US));
	cr_assert(churn->gain_pct > 39 && churn->gain_pct < 41, "%f", churn->gain_pct);
	/* without records of the device the gain is not certain */
	cr_assert(eq(int, churn->severity, SEVERITY_MEDIUM));
	cr_assert(
		strstr(churn->evidence, "40.0 % of it (limit 1 %)") != NULL, "%s", churn->evidence);
	/* the prediction for all findings has it too */
	cr_assert(report->predicted_ns <= churn->predicted_ns);
	builder_free(&builder);
}

/* A thread of a library that no line of the script has a part in costs more than the script's. */
Test(rules_alloc, the_line_of_the_script_is_told_before_places_in_libraries)
{
	static const uint32_t places[] = {PLACE_NATIVE, 5, PLACE_NATIVE + 1};
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		for (unsigned i = 0; i < 3; i++)
			call(&builder, i == 1 ? 20 : 200,
				(struct record){.kind = RECORD_ALLOC,
					.call = 5,
					.place = places[i],
					.d = RECORD_CREATE});
		builder_pause(&builder, 570);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *churn = builder_finding(report, "alloc-churn", 50);
	cr_assert(churn != NULL);
	cr_expect(eq(u64, churn->host_ns, 420 * US));
	builder_free(&builder);
}

Test(rules_alloc, behind_a_busy_gpu_gains_nothing)
{
	const struct loop loop = {"busy", 0, STEPS, 100, 880, false, true};
	struct builder builder;
	const struct report *report = run(&builder, &loop);
	const struct finding *churn = builder_finding(report, "alloc-churn", 0);
	cr_assert(churn != NULL);
	cr_assert(churn->gain_pct < 1.5, "%f", churn->gain_pct);
	builder_free(&builder);
}
