/* SPDX-License-Identifier: MIT */
/* What torch.compile has made, and how often it could not go on. */
#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

#define COMPILED_TWICE 2u /* compilations after the first from which on it is again and again */
#define LINES_TOLD     3u

/* A finding that is only there to write a place. */
static const char *where_of(const struct report *report, uint32_t place, struct finding *scratch)
{
	*scratch = (struct finding){.line = 0};
	place_of_id(report, place, "an unknown place", scratch);
	return scratch->where;
}

bool rule_graph_break(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	const struct compiled_break *most = NULL;
	uint64_t lines = 0, calls = 0, steps = report->steps.count;
	struct finding scratch;
	for (size_t i = 0; facts != NULL && i < facts->regions.breaks.count; i++) {
		const struct compiled_break *one = &facts->regions.breaks.items[i];
		if (2 * one->calls < steps)
			continue;
		lines++;
		calls += one->calls;
		if (most == NULL || one->calls > most->calls)
			most = one;
	}
	if (most == NULL || steps == 0)
		return false;
	place_of_id(report, most->place, "an unknown place", finding);
	finding->calls_per_step = (double)calls / (double)steps;
	evidence_add(finding, "compiled code is left at %llu line%s, %.1f times a step",
		(unsigned long long)lines, lines == 1 ? "" : "s", finding->calls_per_step);
	for (size_t i = 0, told = 0; i < facts->regions.breaks.count && lines > 1; i++) {
		const struct compiled_break *one = &facts->regions.breaks.items[i];
		if (2 * one->calls >= steps && told++ < LINES_TOLD)
			evidence_add(finding, "%s%s", told == 1 ? ": " : ", ",
				where_of(report, one->place, &scratch));
	}
	return true;
}

bool rule_recompile(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	const struct compiled_frame *most = NULL;
	uint64_t frames = 0, again = 0;
	for (size_t i = 0; facts != NULL && i < facts->regions.frames.count; i++) {
		const struct compiled_frame *frame = &facts->regions.frames.items[i];
		if (frame->last < COMPILED_TWICE)
			continue;
		frames++;
		again += frame->last;
		if (most == NULL || frame->last > most->last)
			most = frame;
	}
	if (most == NULL)
		return false;
	place_of_id(report, most->place, "an unknown place", finding);
	evidence_add(finding, "it was compiled %u times in %llu calls", most->last + 1,
		(unsigned long long)most->calls);
	if (frames > 1)
		evidence_add(finding,
			"; %llu functions or parts of such were, %llu times after their first",
			(unsigned long long)frames, (unsigned long long)again);
	return true;
}
