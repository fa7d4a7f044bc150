/* SPDX-License-Identifier: MIT */
#include "analyzer/export/counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/text/field_text.h"
#include "collector/format/fields.h"
#include "collector/format/host_value.h"

#define METRIC_BITS 6u

struct last {
	uint64_t ns, value;
};

void counters_release(struct counters *counters)
{
	for (size_t i = 0; i < counters->last.capacity; i++)
		free(counters->last.entries[i].value);
	idmap_release(&counters->last);
}

/* The one before, NULL when there is none; *ret_last is then for this one. */
static int find_last(struct counters *counters, uint32_t id, struct last **ret_last)
{
	*ret_last = idmap_get(&counters->last, id);
	if (*ret_last != NULL)
		return 1;
	*ret_last = calloc(1, sizeof(**ret_last));
	if (*ret_last == NULL)
		return -ENOMEM;
	int err = idmap_set(&counters->last, id, *ret_last);
	if (err < 0)
		free(*ret_last);
	return err;
}

static bool ends_in(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);
	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* "user_ns" is "user" in processors, "read_bytes" in bytes/s, "major_faults" per second. */
static void describe(const char *metric, uint32_t thread, struct timeline_counter *counter,
	char text[COUNTERS_NAME])
{
	bool is_time = ends_in(metric, "_ns");
	size_t size = strlen(metric) - (is_time ? strlen("_ns") : 0);
	counter->unit = is_time ? "processors" : ends_in(metric, "_bytes") ? "bytes/s" : "/s";
	counter->name = text;
	int used = snprintf(text, COUNTERS_NAME, "%.*s (%s)", (int)size, metric, counter->unit);
	if (thread != 0 && used > 0 && used < (int)COUNTERS_NAME)
		snprintf(text + used, COUNTERS_NAME - (size_t)used, " of thread %" PRIu32, thread);
}

int counters_take(struct counters *counters, const struct record *record,
	struct timeline_counter *ret_counter, char text[COUNTERS_NAME])
{
	bool of_thread = record->kind == RECORD_THREAD_SAMPLE;
	uint32_t thread = of_thread ? record_THREAD_SAMPLE_thread(record) : 0;
	uint32_t metric =
		of_thread ? record_THREAD_SAMPLE_metric(record) : record_SAMPLE_metric(record);
	uint64_t value =
		of_thread ? record_THREAD_SAMPLE_value(record) : record_SAMPLE_value(record);
	const char *name = field_value_name(record->kind, "metric", metric);
	if (name == NULL)
		name = "sample";
	if (!of_thread && metric == SAMPLE_RESIDENT_BYTES) {
		*ret_counter = (struct timeline_counter){
			.name = name, .unit = "bytes", .ns = record->begin, .value = (double)value};
		return 1;
	}
	struct last *last;
	int found = find_last(counters, thread << METRIC_BITS | metric, &last);
	if (found < 0)
		return found;
	bool known = found == 1 && record->begin > last->ns && value >= last->value;
	if (known) {
		*ret_counter = (struct timeline_counter){.ns = last->ns};
		describe(name, thread, ret_counter, text);
		double per_ns = (double)(value - last->value) / (double)(record->begin - last->ns);
		ret_counter->value = ends_in(name, "_ns") ? per_ns : per_ns * 1e9;
	}
	*last = (struct last){record->begin, value};
	return known ? 1 : 0;
}
