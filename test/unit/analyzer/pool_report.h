/* SPDX-License-Identifier: MIT */
/*
 * A report that knows of a loader with workers, and what a rule says of it. begin() and end() are
 * for a suite's init and fini.
 */
#ifndef TEST_UNIT_POOL_REPORT_H
#define TEST_UNIT_POOL_REPORT_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/report/rules/row.h"
#include "collector/format/record.h"
#include "test/unit/analyzer/model_calls.h"

static struct model model;
static struct thresholds thresholds;
static struct report report;
static struct facts facts;
static struct finding finding;
static struct spot *loader;

static inline void begin(void)
{
	const struct lookup lookup = {.text = text_of, .place = place_of, .call = call_of};
	memset(&model, 0, sizeof(model));
	memset(&report, 0, sizeof(report));
	memset(&facts, 0, sizeof(facts));
	thresholds_init(&thresholds);
	model.lookup = lookup;
	model.spots = spots_new();
	cr_assert(model.spots != NULL);
	loader = spots_find_named(model.spots, &lookup, 1, NAME_LOADER, SPOT_LOAD);
	spot_found(loader, 20, SPOT_LINE_NS, 1000);
	report.model = &model;
	report.facts = &facts;
	report.thresholds = &thresholds;
	report.steps.first = 10;
	report.steps.until = 110;
}

static inline void end(void)
{
	spots_free(model.spots);
}

static inline bool fits(rule_function *rule)
{
	const struct subject subject = {.report = &report};
	memset(&finding, 0, sizeof(finding));
	return rule(&subject, &finding);
}

static inline bool says(const char *text)
{
	return strstr(finding.evidence, text) != NULL;
}

/* One batch a step: 10 ms in the loop, 40 ms of work for it. */
static inline void pool_with(double workers)
{
	report.steps.mean_ns = workers > 0 ? 40000000 / (uint64_t)workers : 50000000;
	report.steps.steady = 100;
	report.counted[MODEL_LOADS] = 100;
	report.workers = (struct report_workers){.count = (unsigned)workers,
		.processors = 8,
		.pool = {.batches = 100,
			.workers = workers,
			.batch_ns = (double)report.steps.mean_ns,
			.load_ns = (double)report.steps.mean_ns - 10e6,
			.work_ns = workers > 0 ? 40e6 : 0,
			.cpu_ns = 20e6,
			.processors = 8}};
}

#endif
