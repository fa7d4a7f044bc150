/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/predict.h"

#include <string.h>

#include "analyzer/report/rules/subjects.h"

void predict_mend(struct mended *mended, const struct report *report, enum rule_class class,
	const struct finding *finding)
{
	const struct spots *spots = report->model->spots;
	mended->any |= class != RULE_RUN && class != RULE_CODE && class != RULE_BURST;
	switch (class) {
	case RULE_LINE: /* pinned memory alone makes a copy faster, and lets the host go on */
		line_remove(report, finding->spot,
			finding->rule->id == RULE_ID_copy_pageable_async ? mended->pinned
									 : mended->spots);
		break;
	case RULE_INPUT:
		(void)predict_mend_cause(mended, report, CAUSE_IDLE_INPUT);
		break;
	case RULE_HOST:
		mended->spots[finding->spot] = true;
		break;
	case RULE_LAUNCH:
		mended->pieces |= 1u << PIECE_LAUNCH;
		break;
	case RULE_ALLOC:
		mended->pieces |= 1u << PIECE_ALLOC;
		for (uint32_t i = 1; i < spots->count; i++)
			mended->spots[i] |= spots->items[i].kind == SPOT_ALLOC;
		break;
	case RULE_SETUP:
		mended->pieces |= 1u << PIECE_SETUP;
		for (uint32_t i = 1; i < spots->count; i++)
			mended->spots[i] |= spots->items[i].kind == SPOT_SETUP;
		break;
	case RULE_CODE: /* of samples it is not known in which stretch they were */
		mended->any |= spots->items[finding->spot].kind == SPOT_GAP;
		mended->spots[finding->spot] |= spots->items[finding->spot].kind == SPOT_GAP;
		break;
	case RULE_GC:
		mended->pieces |= 1u << PIECE_GC;
		break;
	case RULE_GIL:
		mended->pieces |= 1u << PIECE_GIL;
		break;
	case RULE_BURST:
	case RULE_RUN:
	case RULE_CLASS_COUNT:
		break;
	}
}

bool predict_counts_for_all(enum rule_class class)
{
	return class != RULE_LAUNCH && class != RULE_CODE && class != RULE_BURST;
}

double predict_gain(const struct report *report, const struct mended *mended, uint64_t *ret_step_ns)
{
	const struct removal removal = {
		.spots = mended->spots, .pinned = mended->pinned, .pieces = mended->pieces};
	double left = whatif_share(
		report->played_ns, whatif_length(&report->model->sweep.whatif, &removal,
					   report->steps.first, report->steps.until));
	*ret_step_ns = (uint64_t)(left * (double)report->steps.mean_ns);
	return 100.0 * (1.0 - left);
}

/* What of the cause is taken away line by line. */
static bool is_of_cause(const struct report *report, uint32_t spot, enum cause cause)
{
	enum spot_kind kind = report->model->spots->items[spot].kind;
	switch (cause) {
	case CAUSE_IDLE_SYNC:
		return kind <= SPOT_SETUP;
	case CAUSE_IDLE_INPUT:
		return kind == SPOT_BLOCKED && report_feeds(report, spot);
	case CAUSE_IDLE_BLOCKED:
		return kind == SPOT_BLOCKED && !report_feeds(report, spot);
	case CAUSE_IDLE_HOST:
		return kind == SPOT_GAP || (kind == SPOT_OPERATOR && !report->model->alone);
	default:
		return false;
	}
}

bool predict_mend_cause(struct mended *mended, const struct report *report, enum cause cause)
{
	static const unsigned pieces[CAUSE_COUNT] = {
		[CAUSE_IDLE_INPUT] = 1u << PIECE_INPUT,
		[CAUSE_IDLE_LAUNCH] = 1u << PIECE_LAUNCH,
		[CAUSE_IDLE_ALLOC] = 1u << PIECE_ALLOC,
		[CAUSE_IDLE_GC] = 1u << PIECE_GC,
		[CAUSE_IDLE_GIL] = 1u << PIECE_GIL,
		[CAUSE_HOST_OPERATORS] = 1u << PIECE_LAUNCH | 1u << PIECE_HOST,
	};
	bool any = pieces[cause] != 0;
	mended->pieces |= pieces[cause];
	for (uint32_t spot = 1; spot < report->model->spots->count; spot++) {
		bool its = is_of_cause(report, spot, cause);
		mended->spots[spot] |= its;
		any |= its;
		if (cause == CAUSE_IDLE_HOST &&
			report->model->spots->items[spot].kind == SPOT_SETUP) {
			mended->pieces |= 1u << PIECE_SETUP;
			any = true;
		}
	}
	mended->any |= any;
	return any || cause == CAUSE_IDLE_SYNC;
}

double predict_gain_of_cause(const struct report *report, enum cause cause)
{
	struct mended mended = {.any = false};
	uint64_t left_ns;
	if (report->model->sweep.whatif.count == 0 || !predict_mend_cause(&mended, report, cause))
		return REPORT_UNKNOWN_PCT;
	return predict_gain(report, &mended, &left_ns);
}
