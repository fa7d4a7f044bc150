/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/predict.h"

#include <string.h>

#include "analyzer/report/rules/line.h"

void predict_mend(struct mended *mended, const struct report *report, enum rule_class class,
	const struct finding *finding)
{
	const struct spots *spots = report->model->spots;
	mended->any |= class != RULE_RUN && class != RULE_BURST;
	switch (class) {
	case RULE_LINE: /* pinned memory alone makes a copy faster, and lets the host go on */
		line_remove(report, finding->spot,
			finding->rule->id == RULE_ID_copy_pageable_async ? mended->pinned
									 : mended->spots);
		break;
	case RULE_INPUT:
		mended->pieces |= 1u << PIECE_INPUT;
		break;
	case RULE_LAUNCH:
		mended->pieces |= 1u << PIECE_LAUNCH;
		break;
	case RULE_ALLOC:
		mended->pieces |= 1u << PIECE_ALLOC;
		for (uint32_t i = 1; i < spots->count; i++)
			mended->spots[i] |= spots->items[i].kind == SPOT_ALLOC;
		break;
	case RULE_BURST:
	case RULE_RUN:
	case RULE_CLASS_COUNT:
		break;
	}
}

bool predict_counts_for_all(enum rule_class class)
{
	return class != RULE_LAUNCH && class != RULE_BURST;
}

double predict_gain(const struct report *report, const struct mended *mended, uint64_t *ret_step_ns)
{
	const struct removal removal = {
		.spots = mended->spots, .pinned = mended->pinned, .pieces = mended->pieces};
	double left = whatif_play(
		&report->model->sweep.whatif, &removal, report->steps.first, report->steps.until);
	*ret_step_ns = (uint64_t)(left * (double)report->steps.mean_ns);
	return 100.0 * (1.0 - left);
}

bool predict_mend_cause(struct mended *mended, enum cause cause)
{
	static const unsigned pieces[CAUSE_COUNT] = {
		[CAUSE_IDLE_INPUT] = 1u << PIECE_INPUT,
		[CAUSE_IDLE_LAUNCH] = 1u << PIECE_LAUNCH,
		[CAUSE_IDLE_ALLOC] = 1u << PIECE_ALLOC,
		[CAUSE_IDLE_GC] = 1u << PIECE_GC,
		[CAUSE_IDLE_GIL] = 1u << PIECE_GIL,
		[CAUSE_IDLE_BLOCKED] = 1u << PIECE_STALL,
	};
	if (cause == CAUSE_IDLE_SYNC)
		memset(mended->spots, true, sizeof(mended->spots));
	else if (pieces[cause] == 0)
		return false;
	mended->pieces |= pieces[cause];
	mended->any = true;
	return true;
}

double predict_gain_of_cause(const struct report *report, enum cause cause)
{
	struct mended mended = {.any = false};
	uint64_t left_ns;
	if (report->model->sweep.whatif.count == 0 || !predict_mend_cause(&mended, cause))
		return REPORT_UNKNOWN_PCT;
	return predict_gain(report, &mended, &left_ns);
}
