/* SPDX-License-Identifier: MIT */
/*
 * What the report says about one file, for a time line: the file is read and judged as the
 * report does it, once more beside the reading for the export.
 */
#ifndef ANALYZER_EXPORT_COLLECT_H
#define ANALYZER_EXPORT_COLLECT_H

#include "analyzer/export/remarks.h"
#include "analyzer/report/report.h"
#include "analyzer/run/process.h"

struct collect_options {
	struct process_options process; /* its observer is ours */
	const struct thresholds *thresholds;
	const struct rule_choices *choices;
	/* the steps that are wanted, NULL: all */
	bool (*selected)(const void *context, uint64_t step);
	const void *context;
};

/*
 * Fill remarks, which the caller releases. 0 or -ENOMEM; a file that cannot be read has none: who
 * exports it says so.
 */
int collect_remarks(
	const char *path, const struct collect_options *options, struct remarks *ret_remarks);

#endif
