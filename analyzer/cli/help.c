/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/help.h"

#include <string.h>

#include "analyzer/report/rules/row.h"

#define NAME_COLUMNS 24
#define HELP_COLUMNS 100u

static void pad(struct out *out, size_t used, size_t columns)
{
	do
		out_char(out, ' ');
	while (++used < columns);
}

void help_overview(struct out *out)
{
	out_text(out,
		"usage: " PROGRAM_NAME " [COMMAND] [OPTIONS] RUN...\n\n"
		"Reads what libtrace.so recorded. RUN is the folder of a run or a trace file.\n\n");
	for (unsigned i = 0; i < COMMAND_COUNT; i++) {
		out_text(out, "  ");
		out_text(out, commands[i].name);
		pad(out, strlen(commands[i].name) + 2, 14);
		out_text(out, commands[i].summary);
		out_text(out, i == 0 ? " (default)\n" : "\n");
	}
	out_text(out,
		"\n'" PROGRAM_NAME
		" help COMMAND' lists the options of a command, 'help thresholds' the\n"
		"limits of a verdict and 'help rules' what is looked for.\n"
		"Exit status: 0 fine, 1 check failed, 2 usage, 3 trace unreadable or not enough "
		"for a\nverdict, 4 other system error.\n");
}

/* What stands between the name of an option and its value. */
static const char *before_value(const struct option_spec *spec)
{
	return spec->type == OPTION_TYPE_WORDS ? "[=" : " ";
}

static const char *after_value(const struct option_spec *spec)
{
	return spec->type == OPTION_TYPE_WORDS ? "]" : "";
}

void help_thresholds(struct out *out)
{
	out_text(out, "limits of report, set with --threshold NAME=VALUE or a line of a rules file "
		      "(--rules)\n");
	for (unsigned id = 0; id < THRESHOLD_COUNT; id++) {
		const struct threshold_info *info = &threshold_infos[id];
		out_format(out, "\n%s=%g%s\n  %s\n  default: %s\n", info->name, info->value,
			info->unit, info->text, info->source);
	}
}

void help_rules(struct out *out)
{
	out_text(out,
		"rules of report, by name and number in the catalogue; a line of a rules file "
		"(--rules)\nswitches them: disable NAME, enable NAME, severity NAME = low\n\n");
	for (unsigned id = 0; id < RULE_ID_COUNT; id++) {
		const struct rule *rule = rule_info(id);
		out_format(out, "  %-24s %-4s %s\n", rule->name, rule->catalogue, rule->title);
	}
}

/* "-o, --output FILE" */
static void print_name(struct out *out, const struct option_spec *spec)
{
	size_t used = 2 + strlen(spec->name) + 6;
	out_text(out, "  ");
	if (spec->short_name != 0)
		out_format(out, "-%c, ", spec->short_name);
	else
		out_text(out, "    ");
	out_text(out, "--");
	out_text(out, spec->name);
	if (spec->value != NULL) {
		out_text(out, before_value(spec));
		out_text(out, spec->value);
		out_text(out, after_value(spec));
		used += strlen(before_value(spec)) + strlen(spec->value) +
			strlen(after_value(spec));
	}
	if (used >= NAME_COLUMNS + 4) {
		out_char(out, '\n');
		used = 0;
	}
	pad(out, used, NAME_COLUMNS + 4);
}

static void print_choices(struct out *out, const char *choices)
{
	for (const char *at = choices; *at != '\0'; at++)
		if (*at == '|')
			out_text(out, ", ");
		else
			out_char(out, *at);
}

/* The same below each other, where they are too many for a line. */
static void print_below(struct out *out, const char *words)
{
	size_t column = 0;
	while (*words != '\0') {
		size_t length = strcspn(words, "|"), more = words[length] == '|';
		if (column == 0 || column + 1 + length + more > HELP_COLUMNS) {
			out_text(out, column == 0 ? ":\n        " : "\n        ");
			column = strlen("        ");
		} else {
			out_char(out, ' ');
			column++;
		}
		out_bytes(out, words, length);
		out_text(out, more ? "," : "");
		column += length + more;
		words += length + more;
	}
}

static void print_option(struct out *out, enum option_id id, const struct command *command)
{
	const struct option_spec *spec = &option_specs[id];
	const char *choices = options_choices(id, command);
	print_name(out, spec);
	out_text(out, spec->help);
	if (choices != NULL && spec->type == OPTION_TYPE_WORDS) {
		print_below(out, choices);
	} else if (choices != NULL) {
		out_text(out, ": ");
		print_choices(out, choices);
	}
	if (spec->fallback != NULL) {
		out_text(out, " (default ");
		out_text(out, spec->fallback);
		out_char(out, ')');
	}
	out_char(out, '\n');
}

static bool is_listed(enum option_id id, const struct command *command)
{
	if (!options_applies(id, command))
		return false;
	return option_specs[id].type != OPTION_TYPE_CHOICE || options_choices(id, command) != NULL;
}

void help_command(struct out *out, const struct command *command)
{
	out_text(out, "usage: " PROGRAM_NAME " ");
	out_text(out, command->name);
	out_text(out, " [OPTIONS]");
	out_text(out, command->arguments[0] != '\0' ? " " : "");
	out_text(out, command->arguments);
	out_text(out, "\n\n");
	out_text(out, command->name);
	out_text(out, ": ");
	out_text(out, command->summary);
	out_text(out, ".\n");
	if (command->details[0] != '\0') {
		out_text(out, command->details);
		out_char(out, '\n');
	}
	out_char(out, '\n');
	for (unsigned id = 0; id < OPTION_COUNT; id++)
		if (is_listed(id, command))
			print_option(out, id, command);
}

/* Text for the manual: a hyphen of an option must stay one. */
static void print_roff(struct out *out, const char *text)
{
	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '-' || *at == '\\')
			out_char(out, '\\');
		if (*at == '\'' || (*at == '.' && at == text))
			out_text(out, "\\&");
		out_char(out, *at);
	}
}

static void print_manual_option(struct out *out, enum option_id id, const struct command *command)
{
	const struct option_spec *spec = &option_specs[id];
	const char *choices = options_choices(id, command);
	out_text(out, ".TP\n");
	if (spec->short_name != 0)
		out_format(out, "\\fB\\-%c\\fR, ", spec->short_name);
	out_text(out, "\\fB\\-\\-");
	print_roff(out, spec->name);
	out_text(out, "\\fR");
	if (spec->value != NULL)
		out_format(
			out, "%s\\fI%s\\fR%s", before_value(spec), spec->value, after_value(spec));
	out_char(out, '\n');
	print_roff(out, spec->help);
	if (choices != NULL) {
		out_text(out, ": ");
		print_choices(out, choices);
	}
	if (spec->fallback != NULL)
		out_format(out, " (default %s)", spec->fallback);
	out_text(out, ".\n");
}

static void print_manual_command(struct out *out, const struct command *command)
{
	out_text(out, ".SS ");
	out_text(out, command->name);
	out_text(out, " [OPTIONS]");
	out_text(out, command->arguments[0] != '\0' ? " " : "");
	out_text(out, command->arguments);
	out_char(out, '\n');
	print_roff(out, command->summary);
	out_text(out, ".\n");
	print_roff(out, command->details);
	out_text(out, command->details[0] != '\0' ? "\n" : "");
	for (unsigned id = 0; id < OPTION_COUNT; id++)
		if (is_listed(id, command) && option_specs[id].commands != UINT32_MAX)
			print_manual_option(out, id, command);
}

void help_manual(struct out *out)
{
	out_text(out,
		".\\\" Made by 'trace-analyzer help manual'.\n"
		".TH TRACE\\-ANALYZER 1\n.SH NAME\ntrace\\-analyzer \\- what limits a training run "
		"recorded by libtrace.so\n.SH SYNOPSIS\n.B trace\\-analyzer\n"
		"[COMMAND] [OPTIONS] RUN...\n.SH DESCRIPTION\n"
		"Reads what libtrace.so recorded. RUN is the folder of a run or a trace file.\n"
		"Without a command:\n");
	out_text(out, commands[0].name);
	out_text(out, ".\n.SH COMMANDS\n");
	for (unsigned i = 0; i < COMMAND_COUNT; i++)
		print_manual_command(out, &commands[i]);
	out_text(out, ".SH OPTIONS OF ALL COMMANDS\n");
	for (unsigned id = 0; id < OPTION_COUNT; id++)
		if (option_specs[id].commands == UINT32_MAX)
			print_manual_option(out, id, &commands[0]);
	out_text(out,
		".SH EXIT STATUS\n0 fine; 1 a check failed; 2 usage; 3 the trace is unreadable or "
		"not enough for a verdict; 4 any other system error.\n.SH ENVIRONMENT\n.TP\n"
		"\\fBNO_COLOR\\fR\nno colour unless \\-\\-color=always.\n.SH SEE ALSO\n"
		"\\fBtrace\\-run\\fR(1)\n");
}

static void print_words(struct out *out, const struct command *command)
{
	for (unsigned id = 0; id < OPTION_COUNT; id++)
		if (is_listed(id, command)) {
			out_text(out, " --");
			out_text(out, option_specs[id].name);
		}
}

void help_completion(struct out *out)
{
	out_text(out,
		"# bash completion for trace-analyzer; made by 'trace-analyzer help completion'.\n"
		"_trace_analyzer() {\n"
		"\tlocal word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\tlocal options values\n"
		"\tcase ${COMP_WORDS[1]} in\n");
	for (unsigned i = 0; i < COMMAND_COUNT; i++) {
		out_format(out, "\t%s) options='", commands[i].name);
		print_words(out, &commands[i]);
		out_text(out, "' ;;\n");
	}
	out_text(out, "\t*) options='");
	print_words(out, &commands[0]);
	out_text(out, "' ;;\n\tesac\n\tcase ${COMP_WORDS[1]},$last in\n");
	for (unsigned i = 0; i < COMMAND_COUNT; i++)
		for (unsigned id = 0; id < OPTION_COUNT; id++) {
			const char *choices = options_choices(id, &commands[i]);
			if (!is_listed(id, &commands[i]) || choices == NULL ||
				option_specs[id].type == OPTION_TYPE_WORDS)
				continue;
			out_format(out, "\t%s,--%s) values='", commands[i].name,
				option_specs[id].name);
			print_choices(out, choices);
			out_text(out, "' ;;\n");
		}
	out_text(out, "\tesac\n\tCOMPREPLY=()\n"
		      "\tif [ -n \"$values\" ]; then\n"
		      "\t\tCOMPREPLY=($(compgen -W \"${values//,/}\" -- \"$word\"))\n"
		      "\telif [[ $word == -* ]]; then\n"
		      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
		      "\telif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '");
	for (unsigned i = 0; i < COMMAND_COUNT; i++) {
		out_text(out, i == 0 ? "" : " ");
		out_text(out, commands[i].name);
	}
	out_text(out, "' -- \"$word\"))\n\tfi\n}\n"
		      "complete -o default -F _trace_analyzer trace-analyzer\n");
}
