/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/text/json.h"
#include "analyzer/text/safe.h"

#define WHERE_BYTES (SUMMARY_PATH + 256u)

const char *print_where(const struct gate_failure *failure, char *buffer, size_t size)
{
	const struct summary_place *place = &failure->place;
	char line[24] = "";
	if (place->path[0] == '\0') {
		(void)snprintf(buffer, size, "the run as a whole");
		return buffer;
	}
	if (place->line > 0)
		(void)snprintf(line, sizeof(line), ":%" PRIu64, place->line);
	(void)snprintf(buffer, size, "%s%s%s%.80s%s%.80s%s", place->path, line,
		place->function != NULL && place->line > 0 ? " in " : "",
		place->function != NULL && place->line > 0 ? place->function : "",
		place->op != NULL ? " (" : "", place->op != NULL ? place->op : "",
		place->op != NULL ? ")" : "");
	return buffer;
}

const char *print_sentence(const struct gate_failure *failure, char *buffer, size_t size)
{
	const char *per = failure->kind == GATE_COUNT ? " per step" : "";
	const char *on = failure->ranks[0] != '\0' ? " on rank " : "", *ranks = failure->ranks;
	if (failure->kind == GATE_BUDGET)
		(void)snprintf(buffer, size, "%s: must be %s, is %s%s%s", failure->what,
			failure->was, failure->is, on, ranks);
	else if (failure->kind == GATE_FINDING)
		(void)snprintf(buffer, size, "%s: a finding of severity %s%s%s", failure->what,
			failure->is, on, ranks);
	else
		(void)snprintf(buffer, size, "%s: was %s, is %s%s%s%s", failure->what, failure->was,
			failure->is, per, on, ranks);
	return buffer;
}

/* Of so many rows, where they are counted. */
static void put_count(struct out *out, const struct gate_result *result)
{
	size_t failed = result->failures.count;
	if (failed > 0 && result->rows >= failed)
		out_format(out, ": %zu of %" PRIu64 " rows\n", failed, result->rows);
	else
		out_format(
			out, ": %" PRIu64 " rows\n", failed > 0 ? (uint64_t)failed : result->rows);
}

/* How the times of both sides compare, or why they were not compared. */
static void put_times(struct out *out, const struct gate_result *result)
{
	const struct times_result *times = &result->times;
	if (!result->timed) {
		out_text(out, "times: not judged (that takes 5 runs and more on both sides)");
		return;
	}
	out_format(out,
		"times: %.2f ms, was %.2f ms (%+.1f %%, p = %.4f; medians over runs of the 10th "
		"percentile of steps); ",
		times->new_ns / 1e6, times->base_ns / 1e6, 100 * (times->factor - 1), times->p);
	if (times->least_factor > 0)
		out_format(out, "a slow-down of %.1f %% would have been seen",
			100 * (times->least_factor - 1));
	else
		out_text(out, "these runs differ too much for any slow-down to be seen");
}

void print_text(struct out *out, const struct term *term, const struct gate_result *result)
{
	char where[WHERE_BYTES], sentence[256];
	bool failed = result->failures.count > 0;
	term_styled(term, out, failed ? TERM_RED : TERM_GREEN, failed ? "failed" : "passed");
	put_count(out, result);
	for (size_t i = 0; i < result->failures.count; i++) {
		const struct gate_failure *failure = &result->failures.items[i];
		out_text(out, "  ");
		out_printable(out, print_where(failure, where, sizeof(where)), 0);
		out_text(out, ": ");
		out_printable(out, print_sentence(failure, sentence, sizeof(sentence)), 0);
		if (failure->text[0] != '\0') {
			out_text(out, "; ");
			out_printable(out, failure->text, 0);
		}
		out_text(out, "\n");
	}
	for (size_t i = 0; i < result->totals.count; i++) {
		out_text(out, i == 0 ? "in all:" : ";");
		out_char(out, ' ');
		out_printable(out,
			print_sentence(&result->totals.items[i], sentence, sizeof(sentence)), 0);
		out_text(out, i + 1 == result->totals.count ? "\n" : "");
	}
	put_times(out, result);
	out_text(out, "\n");
	for (size_t i = 0; i < result->remarks.count; i++) {
		out_text(out, "note: ");
		out_printable(out, result->remarks.items[i].text, 0);
		out_text(out, "\n");
	}
}

void print_markdown(struct out *out, const struct gate_result *result)
{
	char where[WHERE_BYTES];
	out_text(out, result->failures.count > 0 ? "### Check failed" : "### Check passed");
	put_count(out, result);
	out_char(out, '\n');
	if (result->failures.count > 0)
		out_text(out, "| where | what | was | is |\n| --- | --- | ---: | ---: |\n");
	for (size_t i = 0; i < result->failures.count; i++) {
		const struct gate_failure *failure = &result->failures.items[i];
		out_text(out, "| ");
		safe_markdown(out, print_where(failure, where, sizeof(where)));
		out_text(out, " | ");
		safe_markdown(out, failure->what);
		if (failure->kind == GATE_COUNT)
			out_text(out, " per step");
		if (failure->ranks[0] != '\0')
			out_format(out, " on rank %s", failure->ranks);
		out_text(out, " | ");
		safe_markdown(out, failure->was);
		out_text(out, " | ");
		safe_markdown(out, failure->is);
		out_text(out, " |\n");
	}
	out_text(out, result->failures.count > 0 ? "\n" : "");
	put_times(out, result);
	out_text(out, "\n");
	for (size_t i = 0; i < result->remarks.count; i++) {
		out_text(out, "\n- ");
		safe_markdown(out, result->remarks.items[i].text);
	}
	out_text(out, result->remarks.count > 0 ? "\n" : "");
}

static void put_failures(
	struct json *json, const char *key, const struct gate_failure *items, size_t count)
{
	json_add_array(json, key);
	for (size_t i = 0; i < count; i++) {
		const struct gate_failure *failure = &items[i];
		bool placed = failure->place.path[0] != '\0';
		json_object(json);
		json_add_text(json, "kind", gate_kind_names[failure->kind]);
		json_add_text(json, "what", failure->what);
		json_add_text(json, "file", placed ? failure->place.path : NULL);
		if (failure->place.line > 0)
			json_add_u64(json, "line", failure->place.line);
		else
			json_add_null(json, "line");
		json_add_text(json, "function", failure->place.function);
		json_add_text(json, "op", failure->place.op);
		json_add_text(json, "was", failure->was);
		json_add_text(json, "is", failure->is);
		json_add_text(json, "ranks", failure->ranks[0] != '\0' ? failure->ranks : NULL);
		json_add_text(json, "key", failure->key);
		json_add_text(json, "text", failure->text[0] != '\0' ? failure->text : NULL);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_times_json(struct json *json, const struct gate_result *result)
{
	const struct times_result *times = &result->times;
	if (!result->timed) {
		json_add_null(json, "times");
		return;
	}
	json_add_object(json, "times");
	json_add_u64(json, "was_ns", (uint64_t)times->base_ns);
	json_add_u64(json, "is_ns", (uint64_t)times->new_ns);
	json_add_tenths(json, "slower_pct", 100 * (times->factor - 1));
	json_add_u64(json, "p_per_million", (uint64_t)(times->p * 1e6));
	if (times->least_factor > 0)
		json_add_tenths(json, "least_seen_pct", 100 * (times->least_factor - 1));
	else
		json_add_null(json, "least_seen_pct");
	json_object_end(json);
}

void print_json(struct out *out, const struct gate_result *result)
{
	struct json json;
	json_init(&json, out, true);
	json_object(&json);
	json_add_text(&json, "schema", "libtrace-check/1");
	json_add_bool(&json, "passed", result->failures.count == 0);
	json_add_u64(&json, "runs", result->runs);
	json_add_u64(&json, "rows", result->rows);
	put_failures(&json, "failures", result->failures.items, result->failures.count);
	put_failures(&json, "totals", result->totals.items, result->totals.count);
	put_times_json(&json, result);
	json_add_array(&json, "remarks");
	for (size_t i = 0; i < result->remarks.count; i++)
		json_text(&json, result->remarks.items[i].text);
	json_array_end(&json);
	json_object_end(&json);
	json_finish(&json);
}
