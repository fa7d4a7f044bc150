/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/severity.h"

#include <stdio.h>
#include <string.h>

#define RULE "rule="

static const char *const names[] = {"high", "medium", "low", "info"};
#define NAMES (sizeof(names) / sizeof(names[0]))

/* 0 is the worst; NAMES: none. */
static size_t level(const char *word)
{
	size_t i = 0;
	while (i < NAMES && strcmp(names[i], word) != 0)
		i++;
	return i;
}

const char *severity_rule(const char *word)
{
	return strncmp(word, RULE, strlen(RULE)) == 0 ? word + strlen(RULE) : NULL;
}

bool severity_is(const char *word)
{
	return level(word) < NAMES ||
	       (severity_rule(word) != NULL && severity_rule(word)[0] != '\0');
}

static bool is_wanted(const struct summary_finding *finding, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *rule = severity_rule(words[i]);
		if (rule != NULL ? strcmp(rule, finding->rule) == 0
				 : level(finding->severity) <= level(words[i]))
			return true;
	}
	return false;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool has(const struct summary *run, const struct summary_finding *wanted)
{
	for (size_t i = 0; i < run->findings.count; i++) {
		const struct summary_finding *finding = &run->findings.items[i];
		if (strcmp(finding->rule, wanted->rule) == 0 &&
			strcmp(finding->place.path, wanted->place.path) == 0 &&
			same_text(finding->place.function, wanted->place.function))
			return true;
	}
	return false;
}

static int fail(struct gate_result *result, const struct summary_finding *finding)
{
	struct gate_failure failure = {.kind = GATE_FINDING, .place = finding->place};
	(void)snprintf(failure.what, sizeof(failure.what), "%s", finding->rule);
	(void)snprintf(failure.was, sizeof(failure.was), "none");
	(void)snprintf(failure.is, sizeof(failure.is), "%s", finding->severity);
	(void)snprintf(failure.key, sizeof(failure.key), "finding %s" ROW_SEP "%s" ROW_SEP "%s",
		finding->rule, finding->place.path,
		finding->place.function != NULL ? finding->place.function : "-");
	(void)snprintf(failure.text, sizeof(failure.text), "%s",
		finding->text != NULL ? finding->text : "");
	return gate_fail(result, &failure);
}

int severity_judge(struct gate_result *result, const char *const *words, size_t word_count,
	const struct summary *runs, size_t count)
{
	result->rows += word_count;
	for (size_t i = 0; i < runs[0].findings.count; i++) {
		const struct summary_finding *finding = &runs[0].findings.items[i];
		bool all = is_wanted(finding, words, word_count);
		for (size_t k = 1; k < count; k++)
			all = all && has(&runs[k], finding);
		if (all && fail(result, finding) < 0)
			return -ENOMEM;
	}
	return 0;
}
