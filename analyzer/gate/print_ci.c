/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/gate/print.h"
#include "analyzer/text/json.h"
#include "analyzer/text/safe.h"
#include "collector/base/hash.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define WHERE  (SUMMARY_PATH + 256u)

void print_junit(struct out *out, const struct gate_result *result)
{
	char where[WHERE], sentence[256];
	size_t failed = result->failures.count;
	uint64_t tests = result->rows > failed ? result->rows : failed;
	const char *program = result->program != NULL ? result->program : "run";
	out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		      "  <testsuite name=\"trace-analyzer check ");
	safe_xml(out, program);
	out_format(out, "\" tests=\"%" PRIu64 "\" failures=\"%zu\" errors=\"0\">\n",
		failed > 0 ? (uint64_t)failed : 1, failed);
	for (size_t i = 0; i < failed; i++) {
		const struct gate_failure *failure = &result->failures.items[i];
		out_text(out, "    <testcase classname=\"");
		safe_xml(out, failure->place.path[0] != '\0' ? failure->place.path : program);
		out_text(out, "\" name=\"");
		safe_xml(out, failure->what);
		out_char(out, ' ');
		safe_xml(out, print_where(failure, where, sizeof(where)));
		if (failure->ranks[0] != '\0')
			out_format(out, " on rank %s", failure->ranks);
		out_text(out, "\">\n      <failure message=\"");
		safe_xml(out, print_sentence(failure, sentence, sizeof(sentence)));
		out_text(out, "\" type=\"");
		out_text(out, gate_kind_names[failure->kind]);
		out_text(out, "\">");
		safe_xml(out, where);
		out_text(out, ": ");
		safe_xml(out, sentence);
		out_text(out, failure->text[0] != '\0' ? "; " : "");
		safe_xml(out, failure->text);
		out_text(out, "</failure>\n    </testcase>\n");
	}
	if (failed == 0) {
		out_text(out, "    <testcase classname=\"");
		safe_xml(out, program);
		out_format(out, "\" name=\"all %" PRIu64 " rows\"/>\n", tests);
	}
	out_text(out, "  </testsuite>\n</testsuites>\n");
}

static void put_message(struct json *json, const char *key, const char *text)
{
	json_add_object(json, key);
	json_add_text(json, "text", text);
	json_object_end(json);
}

/* A line of the checked-out tree that can be marked. */
static bool is_marked(const struct gate_failure *failure)
{
	return failure->place.below && failure->place.line > 0;
}

static void rule_id(const struct gate_failure *failure, char *buffer, size_t size)
{
	(void)snprintf(buffer, size, "%s/%s", gate_kind_names[failure->kind], failure->what);
}

static bool is_first_of_rule(const struct gate_result *result, size_t index)
{
	char own[128], other[128];
	rule_id(&result->failures.items[index], own, sizeof(own));
	for (size_t i = 0; i < index; i++) {
		rule_id(&result->failures.items[i], other, sizeof(other));
		if (is_marked(&result->failures.items[i]) && strcmp(own, other) == 0)
			return false;
	}
	return is_marked(&result->failures.items[index]);
}

/* Texts of a rule are the same in every run, or the rule would be split into many. */
static void put_rule(struct json *json, const struct gate_failure *failure)
{
	static const char *const why[GATE_KIND_COUNT] = {
		"The steps of this run do not do the same as those of the baseline.",
		"The steps of this run are beyond a budget.", "The steps have become slower.",
		"The report has a finding that must not be."};
	static const char *const help[GATE_KIND_COUNT] = {
		"Undo what this line does more than before, or write the baseline again with "
		"trace-analyzer check --write-baseline if it is wanted.",
		"Mend the line, or change the budget.",
		"Compare both runs: trace-analyzer compare.",
		"See the advice of trace-analyzer report."};
	char id[128], text[160];
	rule_id(failure, id, sizeof(id));
	(void)snprintf(text, sizeof(text), "%s per step", failure->what);
	json_object(json);
	json_add_text(json, "id", id);
	put_message(json, "shortDescription",
		failure->kind == GATE_COUNT || failure->kind == GATE_BUDGET ? text : failure->what);
	put_message(json, "fullDescription", why[failure->kind]);
	put_message(json, "help", help[failure->kind]);
	json_object_end(json);
}

/* Percent-encoded, as a URI reference has it. */
static void put_uri(struct json *json, const char *path)
{
	char uri[3 * SUMMARY_PATH + 1];
	size_t used = 0;
	for (; *path != '\0'; path++) {
		unsigned char c = (unsigned char)*path;
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || strchr("-._~/", c) != NULL;
		used += (size_t)snprintf(
			uri + used, sizeof(uri) - used, plain ? "%c" : "%%%02X", c);
	}
	json_add_text(json, "uri", uri);
}

static void put_location(struct json *json, const struct gate_failure *failure)
{
	json_add_array(json, "locations");
	json_object(json);
	json_add_object(json, "physicalLocation");
	json_add_object(json, "artifactLocation");
	put_uri(json, failure->place.path);
	json_add_text(json, "uriBaseId", "%SRCROOT%");
	json_object_end(json);
	json_add_object(json, "region");
	json_add_u64(json, "startLine", failure->place.line);
	json_add_u64(json, "startColumn", 1);
	json_add_u64(json, "endLine", failure->place.line);
	json_add_u64(json, "endColumn", 2);
	json_object_end(json);
	json_object_end(json);
	json_object_end(json);
	json_array_end(json);
}

static uint64_t fingerprint(const char *key)
{
	uint64_t hash = 0;
	for (; *key != '\0'; key++)
		hash = hash_mix(hash, (unsigned char)*key);
	return hash;
}

static void put_result(struct json *json, const struct gate_failure *failure)
{
	char id[128], sentence[256], text[GATE_TEXT + 300], print[24];
	rule_id(failure, id, sizeof(id));
	(void)snprintf(text, sizeof(text), "%s%s%s",
		print_sentence(failure, sentence, sizeof(sentence)),
		failure->text[0] != '\0' ? "; " : "", failure->text);
	(void)snprintf(print, sizeof(print), "%016" PRIx64 ":1", fingerprint(failure->key));
	json_object(json);
	json_add_text(json, "ruleId", id);
	json_add_text(json, "level", "error");
	put_message(json, "message", text);
	put_location(json, failure);
	json_add_object(json, "partialFingerprints");
	json_add_text(json, "primaryLocationLineHash", print);
	json_object_end(json);
	json_object_end(json);
}

void print_sarif(struct out *out, const struct gate_result *result, const char *version)
{
	struct json json;
	json_init(&json, out, true);
	json_object(&json);
	json_add_text(&json, "$schema", SCHEMA);
	json_add_text(&json, "version", "2.1.0");
	json_add_array(&json, "runs");
	json_object(&json);
	json_add_object(&json, "tool");
	json_add_object(&json, "driver");
	json_add_text(&json, "name", "trace-analyzer");
	json_add_text(&json, "version", version);
	json_add_array(&json, "rules");
	for (size_t i = 0; i < result->failures.count; i++)
		if (is_first_of_rule(result, i))
			put_rule(&json, &result->failures.items[i]);
	json_array_end(&json);
	json_object_end(&json);
	json_object_end(&json);
	json_add_text(&json, "columnKind", "unicodeCodePoints");
	json_add_array(&json, "results");
	for (size_t i = 0; i < result->failures.count; i++)
		if (is_marked(&result->failures.items[i]))
			put_result(&json, &result->failures.items[i]);
	json_array_end(&json);
	json_object_end(&json);
	json_array_end(&json);
	json_object_end(&json);
	json_finish(&json);
}
