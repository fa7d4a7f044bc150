/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/help.h"
#include "collector/codec/frame.h"

static const struct topic {
	const char *name;
	void (*print)(struct out *out);
} topics[] = {
	{"thresholds", help_thresholds},
	{"rules", help_rules},
	{"manual", help_manual},
	{"completion", help_completion},
};

int cmd_help(struct command_context *context)
{
	const struct options *options = context->options;
	if (options->argument_count == 0) {
		help_overview(context->out);
		return EXIT_CODE_FINE;
	}
	const char *name = options->arguments[0];
	const struct command *command = commands_find(name);
	if (command != NULL) {
		help_command(context->out, command);
		return EXIT_CODE_FINE;
	}
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		if (strcmp(topics[i].name, name) == 0) {
			topics[i].print(context->out);
			return EXIT_CODE_FINE;
		}
	return command_fail(EXIT_CODE_USAGE, "see '" PROGRAM_NAME " help'",
		"help: '%s' is not a command", name);
}

int cmd_version(struct command_context *context)
{
	out_format(context->out, "%s %s, trace format %u\n", PROGRAM_NAME, PROGRAM_VERSION,
		FRAME_FORMAT_VERSION);
	return EXIT_CODE_FINE;
}
