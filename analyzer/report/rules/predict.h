/* SPDX-License-Identifier: MIT */
/*
 * What mending would gain: the run is played again with something taken away
 * (whatif.h). What that is follows from the class of the rule alone.
 */
#ifndef ANALYZER_REPORT_RULES_PREDICT_H
#define ANALYZER_REPORT_RULES_PREDICT_H

#include "analyzer/report/rules/row.h"

/* What has been mended so far; large. All-zero: nothing. */
struct mended {
	bool spots[SPOT_LIMIT], pinned[SPOT_LIMIT], any;
	unsigned pieces; /* bits of enum piece_kind */
};

/* Take away what a finding of that class is about. */
void predict_mend(struct mended *mended, const struct report *report, enum rule_class class,
	const struct finding *finding);

/* "All fixes" has it: launching is left as it is, because that would be another program. */
bool predict_counts_for_all(enum rule_class class);

/* Percent that a step gets shorter with that mended; *ret_step_ns: what is left of its mean. */
double predict_gain(
	const struct report *report, const struct mended *mended, uint64_t *ret_step_ns);

/* Take away all that a cause stands for; false when that is not known. */
bool predict_mend_cause(struct mended *mended, const struct report *report, enum cause cause);

/* Percent that a step would be shorter without a cause of idling; REPORT_UNKNOWN_PCT: not known. */
double predict_gain_of_cause(const struct report *report, enum cause cause);

#endif
