/* SPDX-License-Identifier: MIT */
#include "analyzer/report/ask.h"

#include <string.h>

#include "analyzer/report/rules/predict.h"
#include "analyzer/report/rules/subjects.h"
#include "collector/base/err.h"

static int parse_name(const char *name, size_t length, struct rule_ask *ask)
{
	char word[64];
	if (length == 0 || length >= sizeof(word))
		return -ERR_UNKNOWN_NAME;
	memcpy(word, name, length);
	word[length] = '\0';
	ask->rule = rule_find(word);
	for (unsigned cause = CAUSE_IDLE_INPUT; cause < CAUSE_COUNT; cause++)
		if (strcmp(cause_infos[cause].name, word) == 0)
			ask->cause = cause;
	return ask->rule == RULE_ID_COUNT && ask->cause == CAUSE_COUNT ? -ERR_UNKNOWN_NAME : 0;
}

/* "train.py:36" */
static int parse_line(const char *text, size_t length, struct rule_ask *ask)
{
	size_t digits = 0;
	while (digits < length && digits < 9 && text[length - 1 - digits] >= '0' &&
		text[length - 1 - digits] <= '9')
		digits++;
	if (digits == 0 || digits + 1 >= length || text[length - 1 - digits] != ':')
		return -ERR_BAD_VALUE;
	for (size_t i = length - digits; i < length; i++)
		ask->line = 10 * ask->line + (uint64_t)(text[i] - '0');
	ask->file = text;
	ask->file_length = length - digits - 1;
	return 0;
}

int rule_ask_parse(const char *text, struct rule_ask *ret_ask)
{
	static const char without[] = "without=", at_line[] = "line=";
	struct rule_ask ask = {.text = text, .rule = RULE_ID_COUNT, .cause = CAUSE_COUNT};
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");
		int err = -ERR_BAD_VALUE;
		if (strncmp(at, without, strlen(without)) == 0)
			err = parse_name(at + strlen(without), length - strlen(without), &ask);
		else if (strncmp(at, at_line, strlen(at_line)) == 0 && ask.file == NULL)
			err = parse_line(at + strlen(at_line), length - strlen(at_line), &ask);
		if (err < 0)
			return err;
		at += length;
		if (*at == '\0')
			break;
	}
	if (ask.cause != CAUSE_COUNT && ask.file != NULL)
		return -ERR_BAD_VALUE; /* a cause has no line */
	*ret_ask = ask;
	return 0;
}

static bool is_at(const struct rule_ask *ask, const char *file, uint64_t line)
{
	if (ask->file == NULL)
		return true;
	size_t length = file != NULL ? strlen(file) : 0;
	if (file == NULL || line != ask->line || length < ask->file_length)
		return false;
	const char *end = file + length - ask->file_length;
	return memcmp(end, ask->file, ask->file_length) == 0 && (end == file || end[-1] == '/');
}

static unsigned mend_rule(
	const struct report *report, const struct rule_ask *ask, struct mended *mended)
{
	unsigned count = 0;
	for (unsigned i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->findings[i];
		if (finding->rule->id != ask->rule || !is_at(ask, finding->file, finding->line))
			continue;
		predict_mend(mended, report, rule_class_of(finding->rule), finding);
		count++;
	}
	return count;
}

/* Whatever waits or copies at a line. */
static unsigned mend_line(
	const struct report *report, const struct rule_ask *ask, struct mended *mended)
{
	const struct spots *spots = report->model->spots;
	struct subject subject;
	unsigned count = 0;
	for (uint32_t i = 1; i < spots->count; i++) {
		const char *file = lookup_text(&report->model->lookup, spots->items[i].file);
		if (!is_at(ask, file, spots->items[i].line) || !line_look(report, i, &subject))
			continue;
		line_remove(report, i, mended->spots);
		mended->any = true;
		count++;
	}
	return count;
}

static void mend(const struct report *report, const struct rule_ask *ask, struct mended *mended,
	struct answer *answer)
{
	if (ask->rule != RULE_ID_COUNT)
		answer->findings = mend_rule(report, ask, mended);
	else if (ask->cause == CAUSE_COUNT)
		answer->findings = mend_line(report, ask, mended);
	else
		(void)predict_mend_cause(mended, report, (enum cause)ask->cause);
}

static void answer_with(struct report *report, const struct mended *mended, struct answer *answer)
{
	if (mended->any)
		answer->gain_pct = predict_gain(report, mended, &answer->predicted_ns);
	report->answers[report->answer_count++] = *answer;
}

void rules_answer(struct report *report, const struct rule_ask *asks, size_t count)
{
	const struct answer none = {.gain_pct = REPORT_UNKNOWN_PCT, .predicted_ns = REPORT_UNKNOWN};
	struct mended all = {.any = false};
	struct answer together = none;
	for (size_t i = 0; i < count && i + 1 < REPORT_ANSWERS; i++) {
		struct mended mended = {.any = false};
		struct answer answer = none;
		answer.text = asks[i].text;
		mend(report, &asks[i], &mended, &answer);
		mend(report, &asks[i], &all, &answer);
		together.findings += answer.findings;
		answer_with(report, &mended, &answer);
	}
	together.text = "all of these";
	if (count > 1)
		answer_with(report, &all, &together);
}
