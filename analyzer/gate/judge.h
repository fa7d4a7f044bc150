/* SPDX-License-Identifier: MIT */
/*
 * Runs against a baseline: the rows that are not what they were, and whether steps are slower. A
 * count fails when it is another one in every run; what differs in some only is a remark. Not
 * thread-safe.
 */
#ifndef ANALYZER_GATE_JUDGE_H
#define ANALYZER_GATE_JUDGE_H

#include "analyzer/gate/baseline.h"
#include "analyzer/gate/result.h"

/* Of count runs that the baseline does not refuse. 0 or -ENOMEM. */
int judge_counts(struct gate_result *result, const struct baseline *baseline,
	const struct summary *runs, size_t count);

/* Times, where there are enough runs on both sides; else a remark. 0 or -ENOMEM. */
int judge_times(struct gate_result *result, const struct baseline *baseline,
	const struct summary *runs, size_t count);

/* A remark where runs are of a simulated GPU. 0 or -ENOMEM. */
int judge_device(struct gate_result *result, const struct summary *runs, size_t count);

/* A remark where a run has ranks that are not judged. 0 or -ENOMEM. */
int judge_ranks(struct gate_result *result, const struct summary *run);

/* Remarks about versions that are not the baseline's. 0 or -ENOMEM. */
int judge_versions(
	struct gate_result *result, const struct baseline *baseline, const struct summary *run);

#endif
