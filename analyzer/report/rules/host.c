/* SPDX-License-Identifier: MIT */
/*
 * Rules for lines at which the host does what is none of the device's business: it is blocked
 * although no data comes from there, or runs an operator that launches nothing.
 */
#include <string.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"
#include "analyzer/report/rules/subjects.h"
#include "collector/format/record.h"

bool host_look(const struct report *report, uint32_t spot, struct subject *ret_subject)
{
	const struct spot *found = &report->model->spots->items[spot];
	if (found->kind != SPOT_OPERATOR && found->kind != SPOT_BLOCKED)
		return false;
	struct spot_sums sums = report_spot(report, spot);
	if (sums.found[SPOT_LINE_NS] == 0 || report_feeds(report, spot))
		return false;
	*ret_subject = (struct subject){.report = report, .spot = found};
	memcpy(ret_subject->counted, sums.counted, sizeof(sums.counted));
	memcpy(ret_subject->found, sums.found, sizeof(sums.found));
	return true;
}

/* By what, for a sentence: the call, and what it is for. */
static void add_cause(const struct subject *subject, struct finding *finding)
{
	static const char *const of_files[] = {"flock", "lockf", "lockf64", "fcntl", "fcntl64"};
	static const char *const whats[] = {
		[INPUT_UNKNOWN] = "something that is not known",
		[INPUT_READ] = "bytes that were not seen to go to the GPU",
		[INPUT_POLL] = "a descriptor",
		[INPUT_LOCK] = "another thread",
		[INPUT_SLEEP] = "time to pass",
		[INPUT_CHILD] = "another process",
		[INPUT_WRITE] = "whoever reads what it writes",
		[INPUT_FLUSH] = "storage",
		[INPUT_OPEN] = "a file to be opened",
		[INPUT_STAT] = "what is known about a file",
	};
	const struct spot *spot = subject->spot;
	const struct lookup *lookup = &subject->report->model->lookup;
	const char *call = lookup_call(lookup, spot->call);
	unsigned what = spot->what <= INPUT_STAT ? spot->what : INPUT_UNKNOWN;
	bool of_file = false;
	for (size_t i = 0; i < sizeof(of_files) / sizeof(of_files[0]); i++)
		of_file |= strcmp(call, of_files[i]) == 0;
	evidence_add(finding, "blocked in %s(), waiting for %s; ", call,
		of_file        ? "whoever holds the lock of a file"
		: spot->awaits ? "the backward pass on a thread of its own"
		: spot->ranks  ? "the other ranks"
		: what == INPUT_READ && subject->report->model->alone ? "bytes"
								      : whats[what]);
}

void host_describe(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct spot *spot = subject->spot;
	char host[32];
	finding->spot = spot_index(report->model->spots, spot);
	finding->host_ns = report_ns_per_step(report, subject->found[SPOT_LINE_NS]);
	finding->exposed_ns = report_ns_per_step(report, subject->found[SPOT_EXPOSED_NS]);
	finding->calls_per_step = report_per_step(report, subject->counted[SPOT_CALLS]);
	place_of_line(subject, finding);
	if (spot->kind == SPOT_BLOCKED)
		add_cause(subject, finding);
	else if (spot->awaits)
		evidence_add(finding, "waits for the results of %s; ",
			finding->op != NULL ? finding->op
					    : "several compiled functions that were called before");
	else
		evidence_add(finding, "%s%s; ", finding->op != NULL ? finding->op : "an operator",
			report->model->alone ? "" : " launches nothing");
	evidence_add(finding, "the host spends %s per step there",
		report_duration(finding->host_ns, host, sizeof(host)));
	evidence_meanwhile(report, ", and meanwhile", finding);
	evidence_end(report, finding);
}

/* The GPU idles for long enough because of it. */
static bool matters(const struct subject *subject)
{
	const struct report *report = subject->report;
	return report_share(subject->found[SPOT_EXPOSED_NS], report->accounted_ns) >=
	       report_limit(report, THRESHOLD_GAIN);
}

bool rule_host_blocked(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return subject->spot->kind == SPOT_BLOCKED && matters(subject);
}

bool rule_host_operator(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return subject->spot->kind == SPOT_OPERATOR && matters(subject);
}
