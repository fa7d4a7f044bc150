/* SPDX-License-Identifier: MIT */
/* A rule depends on the limits that its row names, and on no other. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40

enum place {
	PLACE_LAUNCH = 1,
	PLACE_READ,
	PLACE_SMALL,
	PLACE_LARGE,
	PLACE_PINNED,
	PLACE_WAIT,
};

/* A step in which nearly everything is wrong. */
static void step(struct builder *builder)
{
	uint64_t begin = builder->now_ns;
	builder_pause(builder, 500);
	builder_op(builder, begin, NAME_LOADER, OP_USER_SCOPE);
	for (unsigned i = 0; i < 12; i++) {
		builder_launch(builder, 20, NAME_KERNEL, PLACE_LAUNCH);
		begin = builder->now_ns;
		builder_copy(builder, 20, COPY_DEVICE_TO_HOST, 4, MEMORY_PAGEABLE, PLACE_READ);
		builder_sync(builder, 1, PLACE_READ);
		builder_op(builder, begin, NAME_ITEM, OP_FUNCTION);
		builder_copy(builder, 15, COPY_HOST_TO_DEVICE, 4096, MEMORY_PAGEABLE, PLACE_SMALL);
		builder_copy(builder, 5, COPY_HOST_TO_DEVICE, 4096, MEMORY_PINNED, PLACE_PINNED);
	}
	builder_copy(builder, 100, COPY_HOST_TO_DEVICE, 1 << 20, MEMORY_PAGEABLE, PLACE_LARGE);
	builder_alloc(builder, 50);
	for (unsigned i = 0; i < 50; i++)
		builder_launch(builder, 20, NAME_KERNEL, PLACE_LAUNCH);
	builder_op(builder, builder->now_ns - 5 * US, NAME_OPTIMIZER, OP_USER_SCOPE);
	builder_sync(builder, 300, PLACE_WAIT);
}

static const struct report *judge(const struct builder *builder, struct report *report)
{
	const struct report_input input = {.model = builder->model,
		.thresholds = &builder->thresholds,
		.reader = {.clean_end = true},
		.complete = true};
	report_build(report, &input);
	return report;
}

/* Every finding of one report that the other does not have may depend on the limit. */
static void compare(
	const struct report *report, const struct report *other, enum threshold_id limit)
{
	for (unsigned i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->findings[i];
		uint64_t limits = finding->rule->limits;
		if (finding->part_of != NULL)
			limits |= finding->part_of->limits;
		if (builder_finding(other, finding->rule->name, finding->line) == NULL)
			cr_expect(ne(u64, limits & 1ull << limit, 0), "%s changes with %s",
				finding->rule->name, threshold_infos[limit].name);
	}
}

Test(rules_limits, rows_name_what_their_rule_depends_on)
{
	static const enum threshold_id limits[] = {THRESHOLD_IO, THRESHOLD_CPU, THRESHOLD_GPU,
		THRESHOLD_LAUNCH, THRESHOLD_GAIN, THRESHOLD_SYNC_REPEATED, THRESHOLD_ALLOC,
		THRESHOLD_COPY_SMALL, THRESHOLD_COPY_MANY, THRESHOLD_COPY_EXPOSED};
	static struct report report, other;
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++)
		step(&builder);
	cr_assert(eq(int, model_finish(builder.model), 0));
	judge(&builder, &report);
	cr_assert(report.finding_count >= 8, "%u", report.finding_count);
	for (size_t i = 0; i < 2 * (sizeof(limits) / sizeof(limits[0])); i++) {
		thresholds_init(&builder.thresholds);
		builder.thresholds.values[limits[i / 2]] = i % 2 == 0 ? 0 : 1e9;
		judge(&builder, &other);
		compare(&report, &other, limits[i / 2]);
		compare(&other, &report, limits[i / 2]);
	}
	builder_free(&builder);
}
