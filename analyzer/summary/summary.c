/* SPDX-License-Identifier: MIT */
#include "analyzer/summary/summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/summary/path.h"
#include "analyzer/summary/thin.h"
#include "analyzer/summary/tree.h"
#include "collector/base/err.h"

#define SCHEMA        "libtrace-report/"
#define SCHEMA_LATEST "libtrace-report/1"

const char *const summary_table_names[SUMMARY_TABLE_COUNT] = {
	"operators", "kernels", "copies", "calls"};

/* Where relative files begin, and below what they are named. */
struct base {
	const char *root, *directory;
};

static const char *text_of(const struct tree_node *object, const char *key)
{
	return tree_text(tree_get(object, key));
}

static uint64_t u64_of(const struct tree_node *object, const char *key, uint64_t otherwise)
{
	const struct tree_node *value = tree_get(object, key);
	return tree_is(value, TREE_INTEGER) && value->integer >= 0 ? (uint64_t)value->integer
								   : otherwise;
}

static double pct_of(const struct tree_node *object, const char *key)
{
	const struct tree_node *value = tree_get(object, key);
	if (tree_is(value, TREE_INTEGER))
		return (double)value->integer;
	return tree_is(value, TREE_REAL) ? value->real : SUMMARY_UNKNOWN_PCT;
}

static struct summary_place place_of(const struct base *base, const struct tree_node *object)
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

static int read_versions(struct summary *summary, const struct tree_node *versions)
{
	TREE_FOREACH(version, versions, TREE_OBJECT)
	if (version->type == TREE_TEXT &&
		vec_push(&summary->versions,
			((struct summary_version){version->key, version->text})) < 0)
		return -ENOMEM;
	return 0;
}

static int read_totals(
	struct summary *summary, const struct tree_node *totals, const struct tree_node *most)
{
	TREE_FOREACH(value, totals, TREE_OBJECT)
	{
		struct summary_total total = {
			value->key, (uint64_t)value->integer, u64_of(most, value->key, 0)};
		if (value->type == TREE_INTEGER && vec_push(&summary->totals, total) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int read_causes(struct summary *summary, const struct tree_node *account)
{
	TREE_FOREACH(line, account, TREE_ARRAY)
	{
		struct summary_cause cause = {
			text_of(line, "cause"), u64_of(line, "ns_per_step", 0)};
		if (cause.cause != NULL && vec_push(&summary->causes, cause) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int read_findings(
	struct summary *summary, const struct base *base, const struct tree_node *findings)
{
	TREE_FOREACH(line, findings, TREE_ARRAY)
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

static int read_sites(
	struct summary *summary, const struct base *base, const struct tree_node *sites)
{
	TREE_FOREACH(line, sites, TREE_ARRAY)
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

static void name_row(
	const struct tree_node *line, enum summary_table table, struct summary_row *row)
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

static int read_table(
	struct summary *summary, enum summary_table table, const struct tree_node *lines)
{
	TREE_FOREACH(line, lines, TREE_ARRAY)
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

static int read_counts(
	struct summary *summary, const struct base *base, const struct tree_node *counts)
{
	summary->steps = u64_of(counts, "steps", 0);
	int err = read_totals(summary, tree_get(counts, "totals"), tree_get(counts, "totals_most"));
	if (err == 0)
		err = read_sites(summary, base, tree_get(counts, "sites"));
	for (unsigned table = 0; table < SUMMARY_TABLE_COUNT && err == 0; table++)
		err = read_table(summary, table, tree_get(counts, summary_table_names[table]));
	return err;
}

/* How many ranks the run has, and which of them was analysed. */
static int read_ranks(struct summary *summary, const struct tree_node *run)
{
	uint64_t analysed = u64_of(run, "analysed_process", SUMMARY_UNKNOWN), at = 0;
	const struct tree_node *processes = tree_get(run, "processes");
	summary->ranks = 0;
	TREE_FOREACH(one, tree_get(run, "ranks"), TREE_ARRAY)
	summary->ranks++;
	summary->rank = -1;
	TREE_FOREACH(process, processes, TREE_ARRAY)
	{
		const struct tree_node *rank = tree_get(process, "rank");
		struct summary_process own = {
			.rank = tree_is(rank, TREE_INTEGER) ? rank->integer : -1,
			.launches = u64_of(process, "launches", 0),
			.steps = u64_of(process, "steps", 0)};
		if (at++ == analysed) { /* not a launcher's */
			const char *program = text_of(process, "program");
			summary->rank = own.rank >= 0 ? own.rank : summary->rank;
			summary->program = program != NULL ? program : summary->program;
		}
		if (vec_push(&summary->processes, own) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Of a rank: whether it can be trusted, the verdict, steps, account, findings and counts. */
static int read_rank(
	struct summary *summary, const struct base *base, const struct tree_node *object)
{
	const struct tree_node *health = tree_get(object, "health");
	const struct tree_node *verdict = tree_get(object, "verdict");
	const struct tree_node *ratios = tree_get(object, "ratios");
	const struct tree_node *steps = tree_get(object, "steps");
	const struct tree_node *reasons = tree_get(health, "reasons");
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
	TREE_FOREACH(reason, reasons, TREE_ARRAY)
	if (reason->type == TREE_TEXT && vec_push(&summary->health_reasons, reason->text) < 0)
		return -ENOMEM;
	int err = read_causes(summary, tree_get(object, "account"));
	if (err == 0)
		err = read_findings(summary, base, tree_get(object, "findings"));
	return err < 0 ? err : read_counts(summary, base, tree_get(object, "counts"));
}

/* Who ran, which is the same for all ranks. */
static int read_run(struct summary *summary, const struct tree_node *run)
{
	const struct tree_node *programs = tree_get(run, "programs");
	if (tree_is(programs, TREE_ARRAY) && programs->nodes > 1)
		summary->program = tree_text(programs + 1);
	summary->framework = text_of(run, "framework");
	summary->directory = text_of(run, "directory");
	summary->world_size = u64_of(run, "world_size", 1);
	summary->unread = u64_of(run, "unread_files", 0);
	int err = read_ranks(summary, run);
	return err < 0 ? err : read_versions(summary, tree_get(run, "versions"));
}

static int read_others(
	struct summary *summary, const struct base *base, const struct tree_node *document)
{
	const struct tree_node *run = tree_get(document, "run");
	int err = 0;
	TREE_FOREACH(object, tree_get(document, "other_ranks"), TREE_ARRAY)
	{
		const struct tree_node *rank = tree_get(object, "rank");
		struct summary other = {.name = summary->name};
		if (!tree_is(rank, TREE_INTEGER))
			continue;
		err = read_run(&other, run);
		if (err == 0)
			err = read_rank(&other, base, object);
		other.rank = rank->integer;
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
static int check_schema(const struct tree_node *document, struct summary_problem *ret_problem)
{
	const char *schema = text_of(document, "schema"), *why = NULL;
	if (schema == NULL || strncmp(schema, SCHEMA, strlen(SCHEMA)) != 0)
		why = "no report of trace-analyzer (report --format json)";
	else if (strcmp(schema, SCHEMA_LATEST) != 0)
		why = "a report of a version that is not known here";
	else if (!tree_is(tree_get(document, "counts"), TREE_OBJECT))
		why = "a report without counts: an older version made it";
	if (why == NULL)
		return 0;
	(void)snprintf(ret_problem->text, sizeof(ret_problem->text), "%s", why);
	return -ERR_BAD_VALUE;
}

/* The document without what nothing is wanted of here. */
static int load(struct tree *tree, const char *bytes, size_t size, struct tree_problem *ret_problem)
{
	static const char *const large[] = {"tables", "series", "memory", NULL};
	char *copy = malloc(size + 1);
	if (copy == NULL)
		return -ENOMEM;
	int read = tree_read(tree, size > 0 ? memcpy(copy, bytes, size) : copy, size, large);
	if (read != 0)
		return read < 0 ? read : 0;
	tree_release(tree);
	size_t thin_size;
	char *thin = thin_out(bytes, size, large, &thin_size);
	int err = tree_read_strictly(
		tree, thin != NULL ? thin : bytes, thin != NULL ? thin_size : size, ret_problem);
	free(thin);
	return err;
}

int summary_read(struct summary *summary, const char *name, const char *bytes, size_t size,
	const char *root, struct summary_problem *ret_problem)
{
	struct tree_problem problem = {0};
	struct tree *tree = calloc(1, sizeof(*tree));
	*summary = (struct summary){.name = name, .document = tree};
	int err = tree != NULL ? load(tree, bytes, size, &problem) : -ENOMEM;
	if (err == -ERR_BAD_VALUE)
		(void)snprintf(ret_problem->text, sizeof(ret_problem->text),
			"line %d, column %d: %s", problem.line, problem.column, problem.text);
	if (err < 0)
		return err;
	const struct tree_node *document = tree->nodes.items;
	err = check_schema(document, ret_problem);
	if (err < 0)
		return err;
	err = read_run(summary, tree_get(document, "run"));
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
	if (summary->document != NULL)
		tree_release(summary->document);
	free(summary->document);
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
