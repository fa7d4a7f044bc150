/* SPDX-License-Identifier: MIT */
#include "analyzer/output/json_finding.h"

#include <stdio.h>

#define SOURCE_AROUND 3u /* lines before and after */
#define SOURCE_BYTES  512u

void json_pct(struct json *json, const char *key, double pct)
{
	if (pct == REPORT_UNKNOWN_PCT)
		json_add_null(json, key);
	else
		json_add_tenths(json, key, pct);
}

void json_ns(struct json *json, const char *key, uint64_t ns, bool known)
{
	if (known && ns != REPORT_UNKNOWN)
		json_add_u64(json, key, ns);
	else
		json_add_null(json, key);
}

/* Only findings by samples of the stack have them. */
static void add_callers(struct json *json, const struct finding *finding)
{
	if (finding->caller_count == 0)
		return;
	json_key(json, "callers");
	json_array(json);
	for (unsigned i = 0; i < finding->caller_count; i++) {
		json_object(json);
		json_add_text(json, "file", finding->callers[i].file);
		json_add_u64(json, "line", finding->callers[i].line);
		json_add_text(json, "function", finding->callers[i].function);
		json_object_end(json);
	}
	json_array_end(json);
}

/* Only findings of the code between two calls have it. */
static void add_until(struct json *json, const struct finding *finding)
{
	if (finding->until_file == NULL)
		return;
	json_key(json, "until");
	json_object(json);
	json_add_text(json, "file", finding->until_file);
	json_add_u64(json, "line", finding->until_line);
	json_object_end(json);
}

/* The lines around the finding's own; null when the trace does not have even that one. */
static void add_source(
	struct json *json, const struct sources *sources, const struct finding *finding)
{
	size_t length;
	uint64_t line = finding->line > SOURCE_AROUND ? finding->line - SOURCE_AROUND : 1;
	if (sources_line(sources, finding->file, finding->line, &length) == NULL) {
		json_add_null(json, "source");
		return;
	}
	json_add_array(json, "source");
	for (; line <= finding->line + SOURCE_AROUND; line++) {
		char copy[SOURCE_BYTES];
		const char *text = sources_line(sources, finding->file, line, &length);
		if (text == NULL)
			continue;
		snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
		json_object(json);
		json_add_u64(json, "line", line);
		json_add_text(json, "text", copy);
		json_object_end(json);
	}
	json_array_end(json);
}

static void print_finding(
	struct json *json, const struct sources *sources, const struct finding *finding)
{
	bool timed = finding->predicted_ns > 0;
	json_object(json);
	json_add_text(json, "rule", finding->rule->name);
	json_add_text(json, "severity", severity_names[finding->severity]);
	json_add_text(json, "file", finding->file);
	json_ns(json, "line", finding->line, finding->line > 0);
	json_add_text(json, "function", finding->function);
	add_source(json, sources, finding);
	add_callers(json, finding);
	add_until(json, finding);
	json_add_text(json, "library_file", finding->library);
	json_ns(json, "library_line", finding->library_line, finding->library_line > 0);
	json_add_text(json, "library_function", finding->library_function);
	json_add_text(json, "op", finding->op);
	json_ns(json, "stream", finding->stream, finding->stream != REPORT_UNKNOWN);
	json_pct(json, "calls_per_step", finding->calls_per_step);
	json_ns(json, "calls", finding->calls, true);
	json_ns(json, "steps_with_calls", finding->steps_with_calls, true);
	json_ns(json, "host_ns_per_step", finding->host_ns, true);
	json_ns(json, "exposed_ns_per_step", finding->exposed_ns, true);
	json_pct(json, "gain_pct", finding->gain_pct);
	json_pct(json, "run_pct", finding->run_pct > 0 ? finding->run_pct : REPORT_UNKNOWN_PCT);
	json_add_text(json, "part_of", finding->part_of != NULL ? finding->part_of->name : NULL);
	json_ns(json, "predicted_step_ns", finding->predicted_ns, timed);
	json_add_text(json, "evidence", finding->evidence);
	json_add_text(json, "text", finding->text);
	json_add_text(json, "advice", finding->advice);
	json_object_end(json);
}

void json_findings(struct json *json, const struct sources *sources, const struct report *report)
{
	json_add_array(json, "findings");
	for (unsigned i = 0; i < report->finding_count; i++)
		print_finding(json, sources, &report->findings[i]);
	json_array_end(json);
}
