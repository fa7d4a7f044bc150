/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/predict.h"

#include "analyzer/report/rules/line.h"

void predict_mend(struct mended *mended, const struct report *report, enum rule_class class,
	const struct finding *finding)
{
	const struct spots *spots = report->model->spots;
	mended->any = true;
	switch (class) {
	case RULE_LINE:
		line_remove(report, finding->spot, mended->spots);
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
	case RULE_CLASS_COUNT:
		break;
	}
}

bool predict_counts_for_all(enum rule_class class)
{
	return class != RULE_LAUNCH;
}

double predict_gain(const struct report *report, const struct mended *mended, uint64_t *ret_step_ns)
{
	const struct removal removal = {.spots = mended->spots, .pieces = mended->pieces};
	double left = whatif_play(
		&report->model->sweep.whatif, &removal, report->steps.first, report->steps.until);
	*ret_step_ns = (uint64_t)(left * (double)report->steps.mean_ns);
	return 100.0 * (1.0 - left);
}
