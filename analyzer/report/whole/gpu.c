/* SPDX-License-Identifier: MIT */
/* What the GPU is busy with, and whether it is made use of. */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"
#include "analyzer/text/demangle.h"

#define TOP 3u
/* Kernels that take less than this part of the GPU's time are not named. */
#define TOP_LEAST_PCT 2.0

/* The next kernel by time after one with so much and that id. */
static uint32_t next_kernel(const struct facts *facts, uint64_t below_ns, uint32_t after)
{
	uint32_t best = 0;
	for (uint32_t id = 1; id < facts->names.count; id++) {
		uint64_t ns = facts->names.items[id].run_ns;
		bool later = ns < below_ns || (ns == below_ns && id > after);
		if (later && ns > 0 && (best == 0 || ns > facts->names.items[best].run_ns))
			best = id;
	}
	return best;
}

/* The line that launches it or whose backward pass does; a framework's library is no place. */
static void place_of_kernel(
	const struct report *report, const struct fact_name *kernel, struct finding *finding)
{
	place_of_id(report, fact_winner(&kernel->place, kernel->launches), PLACE_LOOP, finding);
	if (finding->line != 0 || report->facts->framework == 0)
		return;
	finding->file = finding->function = NULL;
	place_of_id(report, fact_winner(&kernel->behind, kernel->launches), PLACE_LOOP, finding);
}

static void name_kernel(const struct report *report, uint32_t id, struct finding *finding)
{
	const struct facts *facts = report->facts;
	const struct fact_name *kernel = &facts->names.items[id];
	struct finding place = {.line = 0};
	char each[32];
	char *shown = demangle_full(lookup_text(&facts->lookup, id));
	if (shown != NULL)
		demangle_shorten(shown);
	evidence_add(finding, "%s%.60s: %.0f %% of the kernels' time, %s each",
		finding->evidence[0] != '\0' ? "; " : "",
		shown != NULL ? shown : lookup_text(&facts->lookup, id),
		report_share(kernel->run_ns, facts->kernel_ns),
		report_duration(kernel->run_ns / kernel->runs, each, sizeof(each)));
	free(shown);
	uint32_t op = fact_winner(&kernel->op, kernel->told);
	if (op != 0)
		evidence_add(finding, ", %.40s", lookup_text(&facts->lookup, op));
	place_of_id(report, fact_winner(&kernel->place, kernel->launches), PLACE_LOOP, &place);
	if (place.line != 0) {
		evidence_add(finding, " at %.60s", place.where);
		return;
	}
	place_of_id(report, fact_winner(&kernel->behind, kernel->launches), PLACE_LOOP, &place);
	if (place.line != 0)
		evidence_add(finding, " in the backward pass of %.60s", place.where);
}

bool rule_gpu_bound(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	if (facts == NULL || facts->kernel_ns == 0 || !report->busy_measured ||
		report->busy_pct <= report_limit(report, THRESHOLD_GPU))
		return false;
	uint64_t below_ns = UINT64_MAX;
	uint32_t id = 0;
	for (unsigned i = 0; i < TOP; i++) {
		id = next_kernel(facts, below_ns, id);
		if (id == 0)
			break;
		below_ns = facts->names.items[id].run_ns;
		if (i > 0 && report_share(below_ns, facts->kernel_ns) < TOP_LEAST_PCT)
			break;
		if (i == 0)
			place_of_kernel(report, &facts->names.items[id], finding);
		name_kernel(report, id, finding);
	}
	return true;
}

/* Only where no kernel at all shows that tensor cores or 16 bits are in use. */
bool rule_precision(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	uint64_t matrix_ns = 0;
	if (facts == NULL || facts->gpu.major < 7)
		return false;
	for (uint32_t id = 1; id < facts->names.count; id++) {
		const struct fact_name *kernel = &facts->names.items[id];
		if (kernel->runs == 0)
			continue;
		if ((kernel->words & WORD_TENSOR) != 0)
			return false;
		matrix_ns += (kernel->words & WORD_MATRIX) != 0 ? kernel->run_ns : 0;
	}
	double share = report_share(matrix_ns, facts->kernel_ns);
	evidence_add(finding,
		"matrix products take %.0f %% of the kernels' time (limit %g %%), none of them on "
		"tensor cores, on a device of compute capability %llu.%llu",
		share, report_limit(report, THRESHOLD_PRECISION),
		(unsigned long long)facts->gpu.major, (unsigned long long)facts->gpu.minor);
	return share >= report_limit(report, THRESHOLD_PRECISION) &&
	       report_cause_pct(report, CAUSE_DEVICE_COMPUTE) >=
		       report_limit(report, THRESHOLD_LOW_BUSY);
}

bool rule_small_grids(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	char mean[32];
	if (facts == NULL || facts->shaped_ns == 0 || facts->runs == 0)
		return false;
	double filled = 100 * (double)facts->filled_ns / (double)facts->shaped_ns;
	evidence_add(finding,
		"the kernels' blocks can keep %.0f %% of the %llu multiprocessors busy (limit "
		"%g %%); a kernel takes %s in the mean",
		filled, (unsigned long long)facts->gpu.multiprocessors,
		report_limit(report, THRESHOLD_FILLED),
		report_duration(facts->kernel_ns / facts->runs, mean, sizeof(mean)));
	return filled < report_limit(report, THRESHOLD_FILLED) &&
	       facts->kernel_ns / facts->runs >= FACTS_SHORT_NS &&
	       report_cause_pct(report, CAUSE_DEVICE_COMPUTE) >=
		       report_limit(report, THRESHOLD_LOW_BUSY);
}

bool rule_fusible_kernels(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	if (facts == NULL || facts->runs == 0)
		return false;
	double share = report_share(facts->chained, facts->runs);
	evidence_add(finding,
		"%.0f %% of the kernels (limit %g %%) go element by element over what another such "
		"kernel has just made; they take %.0f %% of the kernels' time",
		share, report_limit(report, THRESHOLD_CHAINED),
		report_share(facts->chained_ns, facts->kernel_ns));
	return share >= report_limit(report, THRESHOLD_CHAINED);
}

/* A model lies on several devices, or its batches do, and only one works at a time. */
static void tell_devices(const struct report *report, unsigned devices, struct finding *finding)
{
	if (devices < 2)
		return;
	evidence_add(finding,
		"; they are those of %u GPUs, of which each waits while another computes (what is "
		"called busy is any of them)",
		devices);
	if (report->facts->framework == OP_TORCH)
		snprintf(finding->advice, sizeof(finding->advice),
			"A model whose layers lie on several GPUs keeps one of them busy at a "
			"time: give it several parts of a batch one behind the other "
			"(torch.distributed.pipelining), or each GPU batches of its own "
			"(DistributedDataParallel, FSDP).");
}

bool rule_streams_serialised(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	uint64_t least_ns = UINT64_MAX, seen = 0;
	unsigned count = 0;
	if (facts == NULL || facts->kernel_ns == 0)
		return false;
	for (unsigned i = 0; i < facts->stream_count; i++) {
		uint64_t ns = facts->streams[i].kernel_ns;
		if (report_share(ns, facts->kernel_ns) < 5)
			continue;
		count++;
		seen |= 1ull << (facts->streams[i].id >> 32) % 64;
		least_ns = ns < least_ns ? ns : least_ns;
	}
	evidence_add(finding,
		"%u streams run kernels, but for %.1f %% only of the time of the smallest one "
		"beside each other",
		count, count > 1 ? report_share(facts->overlap_ns, least_ns) : 0);
	tell_devices(report, (unsigned)__builtin_popcountll(seen), finding);
	return count > 1 && report_share(facts->overlap_ns, least_ns) < 5;
}

bool rule_low_utilisation(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	enum cause second, first = report_largest_idle(report, &second);
	evidence_add(finding,
		"the GPU is busy for %.1f %% at most (limit %g %%); most idle time: %s",
		report->busy_high_pct, report_limit(report, THRESHOLD_LOW_BUSY),
		cause_infos[first].why);
	return report->busy_high_pct < report_limit(report, THRESHOLD_LOW_BUSY) &&
	       first != CAUSE_IDLE_INPUT;
}
