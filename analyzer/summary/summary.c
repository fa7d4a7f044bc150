/* SPDX-License-Identifier: MIT */
#include "analyzer/summary/summary.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/summary/path.h"
#include "analyzer/summary/thin.h"
#include "collector/base/err.h"

#define SCHEMA        "libtrace-report/"
#define SCHEMA_LATEST "libtrace-report/1"

const char *const summary_table_names[SUMMARY_TABLE_COUNT] = {
	"operators", "kernels", "copies", "calls"};

/* Where relative files begin, and below what they are named. */
struct base {
	const char *root, *directory;
};

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static uint64_t u64_of(const json_t *object, const char *key, uint64_t otherwise)
{
	const json_t *value = json_object_get(object, key);
	return json_is_integer(value) && json_integer_value(value) >= 0
		       ? (uint64_t)json_integer_value(value)
		       : otherwise;
}

static double pct_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_number(value) ? json_number_value(value) : SUMMARY_UNKNOWN_PCT;
}

static struct summary_place place_of(const struct base *base, const json_t *object)
{
	struct summary_place place = {.line = u64_of(object, "line", 0),
		.function = text_of(object, "function"),
		.op = text_of(object, "op")};
	const char *file = text_of(object, "file");
	if (file != NULL)
		place.below = path_below(
			base->root, base->directory, file, place.path, sizeof(place.path));
	return place;
}

static int read_versions(struct summary *summary, json_t *versions)
{
	const char *name;
	json_t *value;
	json_object_foreach(versions, name, value)
	{
		if (json_is_string(value) &&
			vec_push(&summary->versions,
				((struct summary_version){name, json_string_value(value)})) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int read_totals(struct summary *summary, json_t *totals, const json_t *most)
{
	const char *name;
	json_t *value;
	json_object_foreach(totals, name, value)
	{
		struct summary_total total = {
			name, (uint64_t)json_integer_value(value), u64_of(most, name, 0)};
		if (json_is_integer(value) && vec_push(&summary->totals, total) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int read_causes(struct summary *summary, const json_t *account)
{
	size_t index;
	json_t *line;
	json_array_foreach(account, index, line)
	{
		struct summary_cause cause = {
			text_of(line, "cause"), u64_of(line, "ns_per_step", 0)};
		if (cause.cause != NULL && vec_push(&summary->causes, cause) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int read_findings(struct summary *summary, const struct base *base, const json_t *findings)
{
	size_t index;
	json_t *line;
	json_array_foreach(findings, index, line)
	{
		struct summary_finding finding = {.rule = text_of(line, "rule"),
			.severity = text_of(line, "severity"),
			.text = text_of(line, "text"),
			.place = place_of(base, line),
			.calls_per_step = pct_of(line, "calls_per_step"),
			.gain_pct = pct_of(line, "gain_pct"),
			.host_ns = u64_of(line, "host_ns_per_step", 0),
			.exposed_ns = u64_of(line, "exposed_ns_per_step", SUMMARY_UNKNOWN)};
		if (finding.rule != NULL && finding.severity != NULL &&
			vec_push(&summary->findings, finding) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int read_sites(struct summary *summary, const struct base *base, const json_t *sites)
{
	size_t index;
	json_t *line;
	json_array_foreach(sites, index, line)
	{
		struct summary_site site = {.kind = text_of(line, "kind"),
			.place = place_of(base, line),
			.library = text_of(line, "library_file"),
			.source = text_of(line, "source"),
			.call = text_of(line, "call"),
			.count = u64_of(line, "count", 0),
			.bytes = u64_of(line, "bytes", 0),
			.pageable = u64_of(line, "pageable", 0),
			.host_ns = u64_of(line, "host_ns", 0),
			.most_count = u64_of(line, "most_count", 0),
			.most_bytes = u64_of(line, "most_bytes", 0)};
		if (site.kind != NULL && vec_push(&summary->sites, site) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void name_row(const json_t *line, enum summary_table table, struct summary_row *row)
{
	const char *from = text_of(line, "src_memory"), *to = text_of(line, "dst_memory");
	const char *name = text_of(line, table == SUMMARY_COPIES ? "direction" : "name");
	if (table == SUMMARY_COPIES)
		(void)snprintf(row->name, sizeof(row->name), "%s, %s to %s",
			name != NULL ? name : "copy", from != NULL ? from : "unknown",
			to != NULL ? to : "unknown");
	else
		(void)snprintf(
			row->name, sizeof(row->name), "%s", name != NULL ? name : "(no name)");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct summary_row *)a)->name, ((const struct summary_row *)b)->name);
}

/* Rows of one name become one: names of kernels are shortened. The mean is weighed by calls. */
static void merge_rows(summary_rows *rows)
{
	size_t kept = 0;
	if (rows->count > 0)
		qsort(rows->items, rows->count, sizeof(rows->items[0]), by_name);
	for (size_t i = 0; i < rows->count; i++) {
		struct summary_row *row = &rows->items[i];
		struct summary_row *last = kept > 0 ? &rows->items[kept - 1] : NULL;
		if (last == NULL || strcmp(last->name, row->name) != 0) {
			rows->items[kept++] = *row;
			continue;
		}
		bool known = last->device_mean_ns != SUMMARY_UNKNOWN &&
			     row->device_mean_ns != SUMMARY_UNKNOWN;
		double sum = (double)last->device_mean_ns * (double)last->count +
			     (double)row->device_mean_ns * (double)row->count;
		last->count += row->count;
		last->bytes += row->bytes;
		last->host_ns += row->host_ns;
		last->device_mean_ns = known && last->count > 0
					       ? (uint64_t)(sum / (double)last->count)
					       : SUMMARY_UNKNOWN;
	}
	rows->count = kept;
}

static int read_table(struct summary *summary, enum summary_table table, const json_t *lines)
{
	size_t index;
	json_t *line;
	json_array_foreach(lines, index, line)
	{
		struct summary_row row = {.count = u64_of(line, "count", 0),
			.bytes = u64_of(line, "bytes", 0),
			.host_ns = u64_of(line, "host_ns", 0),
			.device_mean_ns = u64_of(line, "device_mean_ns", SUMMARY_UNKNOWN)};
		name_row(line, table, &row);
		if (vec_push(&summary->rows[table], row) < 0)
			return -ENOMEM;
	}
	merge_rows(&summary->rows[table]);
	return 0;
}

static int read_counts(struct summary *summary, const struct base *base, const json_t *counts)
{
	summary->steps = u64_of(counts, "steps", 0);
	int err = read_totals(
		summary, json_object_get(counts, "totals"), json_object_get(counts, "totals_most"));
	if (err == 0)
		err = read_sites(summary, base, json_object_get(counts, "sites"));
	for (unsigned table = 0; table < SUMMARY_TABLE_COUNT && err == 0; table++)
		err = read_table(
			summary, table, json_object_get(counts, summary_table_names[table]));
	return err;
}

/* How many ranks the run has, and which of them was analysed. */
static int read_ranks(struct summary *summary, const json_t *run)
{
	uint64_t analysed = u64_of(run, "analysed_pid", SUMMARY_UNKNOWN);
	size_t index;
	json_t *process;
	summary->ranks = json_array_size(json_object_get(run, "ranks"));
	summary->rank = -1;
	json_array_foreach(json_object_get(run, "processes"), index, process)
	{
		const json_t *rank = json_object_get(process, "rank");
		struct summary_process own = {
			.rank = json_is_integer(rank) ? json_integer_value(rank) : -1,
			.launches = u64_of(process, "launches", 0),
			.steps = u64_of(process, "steps", 0)};
		if (u64_of(process, "pid", 0) == analysed && own.rank >= 0)
			summary->rank = own.rank;
		if (u64_of(process, "pid", 0) == analysed && text_of(process, "program") != NULL)
			summary->program = text_of(process, "program"); /* not a launcher's */
		if (vec_push(&summary->processes, own) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Of a rank: whether it can be trusted, the verdict, steps, account, findings and counts. */
static int read_rank(struct summary *summary, const struct base *base, const json_t *object)
{
	const json_t *health = json_object_get(object, "health");
	const json_t *verdict = json_object_get(object, "verdict");
	const json_t *ratios = json_object_get(object, "ratios");
	const json_t *steps = json_object_get(object, "steps");
	size_t index;
	json_t *reason;
	summary->health = text_of(health, "status");
	summary->lost = u64_of(health, "lost", 0) + u64_of(health, "missing", 0);
	summary->verdict = text_of(verdict, "class");
	summary->cause = text_of(verdict, "cause");
	summary->confidence = text_of(verdict, "confidence");
	summary->text = text_of(verdict, "text");
	summary->reader_pct = pct_of(ratios, "reader_pct");
	summary->busy_pct = pct_of(ratios, "gpu_busy_pct");
	summary->host_pct = pct_of(ratios, "host_pct");
	summary->steady = u64_of(steps, "steady", 0);
	summary->mean_ns = u64_of(steps, "mean_ns", SUMMARY_UNKNOWN);
	summary->median_ns = u64_of(steps, "median_ns", SUMMARY_UNKNOWN);
	summary->p10_ns = u64_of(steps, "p10_ns", SUMMARY_UNKNOWN);
	json_array_foreach(json_object_get(health, "reasons"), index,
		reason) if (json_is_string(reason) &&
			    vec_push(&summary->health_reasons, json_string_value(reason)) <
				    0) return -ENOMEM;
	int err = read_causes(summary, json_object_get(object, "account"));
	if (err == 0)
		err = read_findings(summary, base, json_object_get(object, "findings"));
	return err < 0 ? err : read_counts(summary, base, json_object_get(object, "counts"));
}

/* Who ran, which is the same for all ranks. */
static int read_run(struct summary *summary, const json_t *run)
{
	summary->program = json_string_value(json_array_get(json_object_get(run, "programs"), 0));
	summary->framework = text_of(run, "framework");
	summary->directory = text_of(run, "directory");
	summary->world_size = u64_of(run, "world_size", 1);
	summary->unread = u64_of(run, "unread_files", 0);
	int err = read_ranks(summary, run);
	return err < 0 ? err : read_versions(summary, json_object_get(run, "versions"));
}

static int read_others(struct summary *summary, const struct base *base, const json_t *document)
{
	const json_t *run = json_object_get(document, "run");
	size_t index;
	json_t *object;
	int err = 0;
	json_array_foreach(json_object_get(document, "other_ranks"), index, object)
	{
		const json_t *rank = json_object_get(object, "rank");
		struct summary other = {.name = summary->name};
		if (!json_is_integer(rank))
			continue;
		err = read_run(&other, run);
		if (err == 0)
			err = read_rank(&other, base, object);
		other.rank = json_integer_value(rank);
		if (err == 0)
			err = vec_push(&summary->others, other);
		if (err < 0) {
			summary_release(&other);
			break;
		}
	}
	return err;
}

/* The program has that much of a report; later versions of the schema are not known. */
static int check_schema(const json_t *document, struct summary_problem *ret_problem)
{
	const char *schema = text_of(document, "schema"), *why = NULL;
	if (schema == NULL || strncmp(schema, SCHEMA, strlen(SCHEMA)) != 0)
		why = "no report of trace-analyzer (report --format json)";
	else if (strcmp(schema, SCHEMA_LATEST) != 0)
		why = "a report of a version that is not known here";
	else if (!json_is_object(json_object_get(document, "counts")))
		why = "a report without counts: an older version made it";
	if (why == NULL)
		return 0;
	(void)snprintf(ret_problem->text, sizeof(ret_problem->text), "%s", why);
	return -ERR_BAD_VALUE;
}

/* The document without what nothing is wanted of here. */
static json_t *load(const char *bytes, size_t size, json_error_t *ret_error)
{
	static const char *const large[] = {"tables", "series", "memory"};
	size_t thin_size;
	char *thin = thin_out(bytes, size, large, sizeof(large) / sizeof(large[0]), &thin_size);
	json_t *document = json_loadb(thin != NULL ? thin : bytes, thin != NULL ? thin_size : size,
		JSON_REJECT_DUPLICATES, ret_error);
	free(thin);
	return document;
}

int summary_read(struct summary *summary, const char *name, const char *bytes, size_t size,
	const char *root, struct summary_problem *ret_problem)
{
	json_error_t error;
	/* Ours, since the library does not always say that it was memory. */
	json_set_alloc_funcs(malloc, free);
	*summary = (struct summary){.name = name};
	json_t *document = load(bytes, size, &error);
	summary->document = document;
	if (document == NULL) {
		(void)snprintf(ret_problem->text, sizeof(ret_problem->text),
			"line %d, column %d: %s", error.line, error.column, error.text);
		return json_error_code(&error) == json_error_out_of_memory ? -ENOMEM
									   : -ERR_BAD_VALUE;
	}
	int err = check_schema(document, ret_problem);
	if (err < 0)
		return err;
	err = read_run(summary, json_object_get(document, "run"));
	const struct base base = {root, summary->directory};
	if (err == 0)
		err = read_rank(summary, &base, document);
	return err < 0 ? err : read_others(summary, &base, document);
}

void summary_release(struct summary *summary)
{
	VEC_FOREACH (other, &summary->others)
		summary_release(other);
	vec_release(&summary->others);
	vec_release(&summary->processes);
	vec_release(&summary->versions);
	vec_release(&summary->health_reasons);
	vec_release(&summary->totals);
	vec_release(&summary->causes);
	vec_release(&summary->findings);
	vec_release(&summary->sites);
	for (unsigned i = 0; i < SUMMARY_TABLE_COUNT; i++)
		vec_release(&summary->rows[i]);
	json_decref(summary->document);
	*summary = (struct summary){0};
}

const struct summary *summary_rank(const struct summary *run, size_t index)
{
	return index == 0 ? run : &run->others.items[index - 1];
}

const char *summary_version(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->versions.count; i++)
		if (strcmp(summary->versions.items[i].name, name) == 0)
			return summary->versions.items[i].value;
	return NULL;
}

bool summary_simulated(const struct summary *summary)
{
	return summary_version(summary, SUMMARY_SIMULATED) != NULL;
}
