/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/line.h"

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

static void count(const struct report *report, const struct spot *spot, uint64_t *ret_counted)
{
	series_sum(&spot->counted, report->steps.first, report->steps.until, ret_counted);
}

/* The spot that stands for the line of this one: another spot of the line, or itself. */
static const struct spot *spot_of_line(const struct report *report, const struct spot *spot)
{
	static const enum spot_kind kinds[] = {SPOT_COPY_IN, SPOT_WAIT};
	uint64_t own[SPOT_VALUE_COUNT], others[SPOT_VALUE_COUNT];
	if (spot->kind != SPOT_COPY_FREE)
		return spot;
	count(report, spot, own);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct spot *other = spots_partner(report->model->spots, spot, kinds[i]);
		if (other == NULL)
			continue;
		count(report, other, others);
		if (2 * others[SPOT_CALLS] >= own[SPOT_CALLS])
			return other;
	}
	return spot;
}

/* The copies that are part of a line's wait, or NULL. */
static const struct spot *copies_of(const struct report *report, const struct spot *spot)
{
	const struct spot *copies = spots_partner(report->model->spots, spot, SPOT_COPY_FREE);
	if (copies == NULL || copies == spot || spot_of_line(report, copies) != spot)
		return NULL;
	return copies;
}

/* What the line does has to do with the device: it waits for it or copies. */
static bool is_of_device(const struct spot *spot)
{
	return spot->kind <= SPOT_COPY_FREE;
}

bool line_look(const struct report *report, uint32_t spot, struct subject *ret_subject)
{
	const struct steps_summary *steps = &report->steps;
	uint64_t more[SPOT_FINDING_COUNT] = {0};
	struct subject subject = {.report = report, .spot = &report->model->spots->items[spot]};
	if (!is_of_device(subject.spot) || spot_of_line(report, subject.spot) != subject.spot)
		return false;
	count(report, subject.spot, subject.counted);
	if (subject.counted[SPOT_CALLS] == 0)
		return false;
	series_sum(&subject.spot->found, steps->first, steps->until, subject.found);
	const struct spot *copies = copies_of(report, subject.spot);
	if (copies != NULL)
		series_sum(&copies->found, steps->first, steps->until, more);
	for (unsigned value = 0; value < SPOT_FINDING_COUNT; value++)
		subject.found[value] += more[value];
	*ret_subject = subject;
	return true;
}

void line_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	finding->spot = spot_index(report->model->spots, subject->spot);
	finding->stream = subject->spot->stream;
	finding->calls = subject->counted[SPOT_CALLS];
	finding->steps_with_calls = subject->counted[SPOT_STEPS];
	finding->calls_per_step = report_per_step(report, finding->calls);
	finding->host_ns = report_ns_per_step(report, subject->counted[SPOT_HOST_NS]);
	finding->exposed_ns = report_ns_per_step(report, subject->found[SPOT_EXPOSED_NS]);
	place_of_line(subject, finding);
	evidence_of_line(subject, finding);
}

void line_remove(const struct report *report, uint32_t spot, bool *removed)
{
	const struct spots *spots = report->model->spots;
	const struct spot *copies = copies_of(report, &spots->items[spot]);
	removed[spot] = true;
	if (copies != NULL)
		removed[spot_index(spots, copies)] = true;
}
