/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "analyzer/compare/show.h"
#include "analyzer/text/json.h"

/* Both sides, in thousandths where counts need them. */
static void put_pair(struct json *json, const char *key, const struct compare_pair *pair)
{
	json_add_object(json, key);
	if (pair->known) {
		json_add_tenths(json, "base", pair->base);
		json_add_tenths(json, "new", pair->next);
		json_add_tenths(json, "change", compare_change(pair));
	} else {
		json_add_null(json, "base");
		json_add_null(json, "new");
		json_add_null(json, "change");
	}
	json_object_end(json);
}

static void put_rate(struct json *json, const char *key, const struct compare_pair *pair)
{
	json_add_object(json, key);
	json_add_i64(json, "base_per_1000_steps", llround(1000 * pair->base));
	json_add_i64(json, "new_per_1000_steps", llround(1000 * pair->next));
	json_object_end(json);
}

static void put_place(struct json *json, const struct summary_place *place)
{
	json_add_text(json, "file", place->path[0] != '\0' ? place->path : NULL);
	if (place->line > 0)
		json_add_u64(json, "line", place->line);
	else
		json_add_null(json, "line");
	json_add_text(json, "function", place->function);
	json_add_text(json, "op", place->op);
}

/* What both a run and each of its ranks have. */
static void put_verdict(struct json *json, const struct summary *run, double spread)
{
	if (spread >= 0)
		json_add_tenths(json, "spread_pct", spread);
	else
		json_add_null(json, "spread_pct");
	json_add_text(json, "verdict", run->verdict);
	json_add_text(json, "cause", run->cause);
	json_add_text(json, "confidence", run->confidence);
}

static void put_side(
	struct json *json, const char *key, const struct summary *run, size_t runs, double spread)
{
	json_add_object(json, key);
	json_add_text(json, "name", run->name);
	json_add_text(json, "program", run->program);
	json_add_text(json, "framework", run->framework);
	json_add_u64(json, "world_size", run->world_size);
	if (run->rank >= 0)
		json_add_i64(json, "rank", run->rank);
	else
		json_add_null(json, "rank");
	json_add_u64(json, "runs", runs);
	json_add_bool(json, "simulated", summary_simulated(run));
	put_verdict(json, run, spread);
	json_object_end(json);
}

static void put_row(struct json *json, enum compare_part part, const struct compare_row *row)
{
	json_add_text(json, "state", compare_state_names[row->state]);
	json_add_text(json, "name", row->name);
	if (part == COMPARE_SITES)
		put_place(json, &row->place);
	put_rate(json, "count", &row->count);
	put_rate(json, "bytes", &row->bytes);
	put_pair(json, "ns_per_step", &row->ns);
}

static void put_rows(struct json *json, const struct comparison *comparison, enum compare_part part)
{
	json_add_array(json, compare_part_names[part]);
	for (size_t i = 0; i < comparison->rows[part].count; i++) {
		json_object(json);
		put_row(json, part, &comparison->rows[part].items[i]);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_findings(struct json *json, const struct comparison *comparison)
{
	json_add_array(json, "findings");
	for (size_t i = 0; i < comparison->findings.count; i++) {
		const struct compare_finding *finding = &comparison->findings.items[i];
		const struct summary_finding *is =
			finding->next != NULL ? finding->next : finding->base;
		json_object(json);
		json_add_text(json, "state", compare_state_names[finding->state]);
		json_add_text(json, "rule", is->rule);
		json_add_text(json, "severity", is->severity);
		json_add_text(json, "text", is->text);
		put_place(json, &is->place);
		put_pair(json, "ns_per_step", &finding->exposed_ns);
		json_object_end(json);
	}
	json_array_end(json);
}

/* What is said of a rank, or of runs without. */
static void put_rank(struct json *json, const struct comparison *comparison)
{
	put_pair(json, "step_ns", &comparison->step_ns);
	put_pair(json, "reader_pct", &comparison->reader_pct);
	put_pair(json, "gpu_busy_pct", &comparison->busy_pct);
	put_pair(json, "host_pct", &comparison->host_pct);
	json_add_array(json, "account");
	for (size_t i = 0; i < comparison->causes.count; i++) {
		json_object(json);
		json_add_text(json, "cause", comparison->causes.items[i].cause);
		put_pair(json, "ns_per_step", &comparison->causes.items[i].ns);
		json_object_end(json);
	}
	json_array_end(json);
	json_add_i64(json, "explained_ns", llround(comparison->explained_ns));
	json_add_i64(json, "unexplained_ns", llround(comparison->unexplained_ns));
	put_findings(json, comparison);
	for (unsigned part = 0; part < COMPARE_PART_COUNT; part++)
		put_rows(json, comparison, (enum compare_part)part);
}

static void put_uneven(struct json *json, const struct comparison *comparison)
{
	json_add_array(json, "uneven");
	for (size_t i = 0; i < comparison->uneven.count; i++) {
		const struct compare_uneven *uneven = &comparison->uneven.items[i];
		json_object(json);
		json_add_text(json, "part", compare_part_names[uneven->part]);
		json_add_array(json, "ranks");
		for (size_t k = 0; k < uneven->rank_count; k++)
			json_i64(json, comparison->uneven_ranks.items[uneven->ranks + k]);
		json_array_end(json);
		put_row(json, uneven->part, uneven->row);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_others(struct json *json, const struct comparison *comparison)
{
	json_add_array(json, "other_ranks");
	for (size_t i = 0; i < comparison->others.count; i++) {
		const struct comparison *other = &comparison->others.items[i];
		json_object(json);
		json_add_i64(json, "rank", other->base->rank);
		json_add_object(json, "base");
		put_verdict(json, other->base, other->base_spread_pct);
		json_object_end(json);
		json_add_object(json, "new");
		put_verdict(json, other->next, other->next_spread_pct);
		json_object_end(json);
		put_rank(json, other);
		json_object_end(json);
	}
	json_array_end(json);
}

void show_json(struct out *out, const struct comparison *comparison)
{
	struct json json;
	json_init(&json, out, true);
	json_object(&json);
	json_add_text(&json, "schema", "libtrace-compare/1");
	put_side(&json, "base", comparison->base, comparison->base_runs,
		comparison->base_spread_pct);
	put_side(
		&json, "new", comparison->next, comparison->next_runs, comparison->next_spread_pct);
	put_rank(&json, comparison);
	put_uneven(&json, comparison);
	put_others(&json, comparison);
	json_object_end(&json);
	json_finish(&json);
}
