/* SPDX-License-Identifier: MIT */
/* Compiled regions from their ranges, and what is told of them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/report/rules/row.h"
#include "test/unit/analyzer/model_calls.h"

static const struct lookup lookup = {.text = text_of, .place = place_of, .call = call_of};
static struct facts facts;
static struct compiled *const regions = &facts.regions;
static struct model model;
static struct thresholds thresholds;
static struct report report;
static struct finding finding;

static void begin(void)
{
	memset(&facts, 0, sizeof(facts));
	memset(&report, 0, sizeof(report));
	model.lookup = lookup;
	report.model = &model;
	report.facts = &facts;
	report.thresholds = &thresholds;
	report.steps.count = 100;
}

static void end(void)
{
	compiled_release(regions);
}

TestSuite(regions, .init = begin, .fini = end);

static void called(uint32_t thread, const char *name, uint32_t place, uint64_t from, uint64_t to)
{
	const struct record range = {.kind = RECORD_OP, .place = place, .begin = from, .end = to};
	cr_assert(eq(int, compiled_end(regions, &lookup, thread, name, &range), 0));
}

#define REGION(frame) "Torch-Compiled Region: " frame

/* A function, and what is left of it behind a break at place 2: the inner one ends first. */
static void broken_call(uint64_t at, const char *outer, const char *inner)
{
	called(1, inner, 2, at + 2, at + 4);
	called(1, outer, 1, at, at + 10);
}

static const struct compiled_frame *frame(uint32_t id)
{
	for (size_t i = 0; i < regions->frames.count; i++)
		if (regions->frames.items[i].id == id)
			return &regions->frames.items[i];
	cr_assert(false, "no frame %u", id);
	return NULL;
}

static bool fits(rule_function *rule)
{
	const struct subject subject = {.report = &report};
	memset(&finding, 0, sizeof(finding));
	return rule(&subject, &finding);
}

Test(regions, a_region_in_another_one_is_behind_a_break_of_that)
{
	uint64_t pairs;
	broken_call(0, REGION("0/0"), REGION("1/0"));
	broken_call(100, REGION("0/0"), REGION("1/0"));
	broken_call(200, REGION("0/1"), REGION("1/1"));
	called(2, REGION("7/0"), 3, 1, 3); /* another thread's */
	called(1, REGION("8/0"), 3, 300, 301);
	called(1, REGION("9/0"), 3, 302, 303);
	cr_expect(eq(sz, regions->frames.count, 5));
	cr_expect(eq(sz, regions->breaks.count, 1));
	cr_expect(eq(u32, frame(1)->around, 1));
	cr_expect(eq(u32, frame(0)->around, 0));
	cr_expect(eq(u32, frame(7)->around, 0));
	cr_expect(eq(u32, frame(9)->around, 0));
	cr_expect(eq(u64, frame(0)->calls, 3));
	cr_expect(eq(u64, frame(0)->ns, 30));
	cr_expect(eq(u32, frame(0)->last, 1));
	cr_expect(eq(uint, compiled_count(frame(0)->seen), 2));
	cr_expect(eq(uint, compiled_breaks_of(regions, 0, &pairs), 1));
	cr_expect(eq(u64, pairs, 2));
	cr_expect(eq(uint, compiled_breaks_of(regions, 1, &pairs), 0));
	cr_expect(eq(u32, regions->breaks.items[0].line, 20));
	cr_expect(eq(u64, regions->breaks.items[0].calls, 3));
}

Test(regions, other_names_are_none)
{
	static const char *const others[] = {"", "aten::add", "CompiledFunction", REGION(""),
		REGION("!0/0"), REGION("1"), REGION("1/"), REGION("1/x"), REGION("1/0 (dynamic)"),
		REGION("99999999999/0"), REGION("-1/0"), NULL};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		called(1, others[i], 1, 10 * i, 10 * i + 1);
	cr_expect(eq(sz, regions->frames.count, 0));
}

Test(regions, what_does_not_fit_is_counted)
{
	char name[64];
	for (unsigned i = 0; i < COMPILED_FRAMES + 5; i++) {
		(void)snprintf(name, sizeof(name), REGION("%u/0"), i);
		called(1, name, 1, 10 * i, 10 * i + 1);
	}
	cr_expect(eq(sz, regions->frames.count, COMPILED_FRAMES));
	cr_expect(eq(u64, regions->left_out, 5));
	called(1, REGION("1/4000000000"), 1, 0, 1000000);
	cr_expect(eq(u32, frame(1)->last, 4000000000u));
}

Test(regions, a_break_is_told_when_it_happens_in_half_of_the_steps)
{
	for (uint64_t i = 0; i < 49; i++)
		broken_call(100 * i, REGION("0/0"), REGION("1/0"));
	cr_expect(not(fits(rule_graph_break)));
	broken_call(4900, REGION("0/0"), REGION("1/0"));
	cr_expect(fits(rule_graph_break));
	cr_expect(eq(u64, finding.line, 20));
	cr_expect(strstr(finding.evidence, "left at 1 line, 0.5 times a step") != NULL);
	report.steps.count = 0;
	cr_expect(not(fits(rule_graph_break)));
}

Test(regions, regions_without_breaks_are_nothing_to_tell)
{
	for (uint64_t i = 0; i < 200; i++)
		called(1, REGION("0/0"), 1, 100 * i, 100 * i + 10);
	cr_expect(not(fits(rule_graph_break)));
	cr_expect(not(fits(rule_recompile)));
}

Test(regions, one_compilation_for_sizes_that_vary_is_not_again_and_again)
{
	called(1, REGION("0/0"), 1, 0, 10);
	called(1, REGION("0/1"), 1, 100, 110);
	cr_expect(not(fits(rule_recompile)));
	called(1, REGION("0/2"), 1, 200, 210);
	cr_expect(fits(rule_recompile));
	cr_expect(eq(u64, finding.line, 10));
	cr_expect(strstr(finding.evidence, "compiled 3 times in 3 calls") != NULL);
}
