/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/evidence.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Smaller copies have no bandwidth worth a word: what a few bytes take is latency. */
#define BANDWIDTH_BYTES 16384u

void evidence_add(struct finding *finding, const char *format, ...)
{
	size_t used = strlen(finding->evidence);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(finding->evidence + used, sizeof(finding->evidence) - used, format, arguments);
	va_end(arguments);
}

void evidence_meanwhile(const struct report *report, const char *between, struct finding *finding)
{
	char exposed[32];
	if (!report->model->alone)
		evidence_add(finding, "%s the GPU idles for %s", between,
			report_duration(finding->exposed_ns, exposed, sizeof(exposed)));
}

void evidence_end(const struct report *report, struct finding *finding)
{
	evidence_add(finding, " (mean of %llu steps)", (unsigned long long)report->steps.steady);
}

/* How often, and how much is copied each time. */
static void add_calls(const struct subject *subject, struct finding *finding)
{
	uint64_t bytes = subject->counted[SPOT_BYTES];
	uint64_t calls = subject->counted[SPOT_CALLS], with = subject->counted[SPOT_STEPS];
	uint64_t all = subject->report->steps.steady;
	if (10 * with < 9 * all && calls > with) /* bursts: a mean would hide them */
		evidence_add(finding, "%llu calls in %llu of %llu steps", (unsigned long long)calls,
			(unsigned long long)with, (unsigned long long)all);
	else if (10 * with < 9 * all)
		evidence_add(finding, "a call in %llu of %llu steps", (unsigned long long)with,
			(unsigned long long)all);
	else if (finding->calls_per_step < 1.05)
		evidence_add(finding, "one call per step");
	else
		evidence_add(finding, "%.1f calls per step", finding->calls_per_step);
	if (bytes > 0)
		evidence_add(finding, ", %llu byte%s each", (unsigned long long)(bytes / calls),
			bytes / calls == 1 ? "" : "s");
}

/* What the line's copies took on the GPU, as far as it was measured. */
static void add_copying(const struct subject *subject, struct finding *finding)
{
	uint64_t device_ns = subject->found[SPOT_DEVICE_NS];
	char took[32];
	if (device_ns == 0)
		return;
	evidence_add(finding, "; the GPU copies for %s",
		report_duration(
			report_ns_per_step(subject->report, device_ns), took, sizeof(took)));
	if (subject->counted[SPOT_BYTES] / subject->counted[SPOT_CALLS] >= BANDWIDTH_BYTES)
		evidence_add(finding, " at %.3g GB/s",
			(double)subject->found[SPOT_DEVICE_BYTES] / (double)device_ns);
}

static void add_exposed(const struct subject *subject, struct finding *finding)
{
	char exposed[32];
	report_duration(finding->exposed_ns, exposed, sizeof(exposed));
	if (finding->exposed_ns == 0)
		evidence_add(finding, "; the GPU never idles because of it");
	else if (subject->spot->kind == SPOT_COPY_FREE)
		evidence_add(finding, "; for %s of that the GPU does nothing else", exposed);
	else
		evidence_add(
			finding, "; because of it the GPU idles or only copies for %s", exposed);
}

void evidence_of_line(const struct subject *subject, struct finding *finding)
{
	uint64_t waited_ns = report_ns_per_step(subject->report, subject->found[SPOT_WAITED_NS]);
	char host[32], waited[32];
	bool blocks = subject->spot->kind != SPOT_COPY_FREE;
	add_calls(subject, finding);
	evidence_add(finding, "; %s the host for %s per step", blocks ? "blocks" : "occupies",
		report_duration(finding->host_ns, host, sizeof(host)));
	if (blocks && waited_ns > 0)
		evidence_add(finding, ", %s of it waiting for the GPU",
			report_duration(waited_ns, waited, sizeof(waited)));
	add_copying(subject, finding);
	add_exposed(subject, finding);
	evidence_end(subject->report, finding);
}
