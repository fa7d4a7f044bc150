/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/command.h"

#include <stdio.h>

#include "analyzer/doctor/doctor.h"
#include "analyzer/text/json.h"

static const struct status {
	const char *name;
	enum term_style style;
} statuses[DOCTOR_STATUS_COUNT] = {
	[DOCTOR_OK] = {"ok", TERM_GREEN},
	[DOCTOR_NOTE] = {"note", TERM_YELLOW},
	[DOCTOR_MISSING] = {"missing", TERM_RED},
};

static void print_text(struct command_context *context, const struct doctor_check *check,
	const struct doctor_finding *finding)
{
	struct out *out = context->out;
	const struct status *status = &statuses[finding->status];
	char word[16];
	snprintf(word, sizeof(word), "%-8s", status->name);
	term_styled(&context->term, out, status->style, word);
	out_format(out, "%-12s", check->name);
	out_printable(out, finding->found, 0);
	out_char(out, '\n');
	if (finding->status == DOCTOR_OK)
		return;
	out_format(out, "%20sneeded for %s\n", "", check->what);
	if (finding->advice[0] != '\0')
		out_format(out, "%20s%s\n", "", finding->advice);
}

static void print_json(
	struct json *json, const struct doctor_check *check, const struct doctor_finding *finding)
{
	json_object(json);
	json_add_text(json, "name", check->name);
	json_add_text(json, "for", check->what);
	json_add_text(json, "status", statuses[finding->status].name);
	json_add_text(json, "found", finding->found);
	json_add_text(json, "advice", finding->advice[0] != '\0' ? finding->advice : NULL);
	json_object_end(json);
}

int cmd_doctor(struct command_context *context)
{
	struct json json;
	bool as_json = strcmp(options_text(context->options, OPTION_FORMAT), "json") == 0;
	json_init(&json, context->out, true);
	if (as_json) {
		json_object(&json);
		json_add_text(&json, "schema", "libtrace-doctor/1");
		json_add_array(&json, "checks");
	}
	for (size_t i = 0; i < doctor_check_count; i++) {
		struct doctor_finding finding = {0};
		doctor_checks[i].look(&finding);
		if (as_json)
			print_json(&json, &doctor_checks[i], &finding);
		else
			print_text(context, &doctor_checks[i], &finding);
	}
	if (as_json) {
		json_array_end(&json);
		json_object_end(&json);
		json_finish(&json);
	}
	return EXIT_CODE_FINE;
}
