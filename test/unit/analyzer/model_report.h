/* SPDX-License-Identifier: MIT */
/*
 * Ends a loop of model_builder.h and asks its report: the share of a cause, the
 * finding of a rule at a line.
 */
#ifndef TEST_UNIT_MODEL_REPORT_H
#define TEST_UNIT_MODEL_REPORT_H

#include <string.h>

#include "test/unit/analyzer/model_builder.h"

/* Finish the model and make the report. */
static inline const struct report *builder_finish(struct builder *builder)
{
	cr_assert(model_finish(builder->model) == 0);
	const struct report_input input = {.model = builder->model,
		.thresholds = &builder->thresholds,
		.reader = {.clean_end = true},
		.complete = true};
	report_build(builder->report, &input);
	return builder->report;
}

/* Percent of the account that a cause has. */
static inline double builder_pct(const struct report *report, enum cause cause)
{
	return report->account[cause].tenths / 10.0;
}

/* The finding of a rule at a line, or NULL. */
static inline const struct finding *builder_finding(
	const struct report *report, const char *rule, uint64_t line)
{
	for (unsigned i = 0; i < report->finding_count; i++)
		if (strcmp(report->findings[i].rule->name, rule) == 0 &&
			report->findings[i].line == line)
			return &report->findings[i];
	return NULL;
}

#endif
