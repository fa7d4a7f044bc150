/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cli/command.h"
#include "analyzer/cli/help.h"
#include "analyzer/memory/memory.h"
#include "collector/base/err.h"
#include "collector/format/suffix.h"

/* clang-format off */
static int (*const actions[COMMAND_COUNT])(struct command_context *context) = {
#define COMMAND(id, name, formats, arguments, summary, details) [COMMAND_##id] = cmd_##name,
#include "analyzer/cli/commands.def"
#undef COMMAND
};
/* clang-format on */

/* The words that are not commands but look as if they were meant to be one. */
static int unknown_command(const char *word)
{
	const char *names[COMMAND_COUNT];
	char hint[64];
	for (unsigned i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	const char *near = options_nearest(word, names, COMMAND_COUNT);
	if (near != NULL)
		snprintf(hint, sizeof(hint), "did you mean '%s'?", near);
	else
		snprintf(hint, sizeof(hint), "see '" PROGRAM_NAME " help'");
	return command_fail(EXIT_CODE_USAGE, hint, "%s: no such command or file", word);
}

/* The command that the first word asks for; *ret_words is how many words that took. */
static const struct command *choose(int argc, char **argv, int *ret_words)
{
	*ret_words = 1;
	const char *word = argc > 1 ? argv[1] : "";
	const struct command *command = commands_find(word);
	if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
		command = &commands[COMMAND_HELP];
	if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0)
		command = &commands[COMMAND_VERSION];
	if (command != NULL) {
		*ret_words = 2;
		return command;
	}
	/* no command: the first one of the table, on files that are there or look like paths */
	if (word[0] == '-' || strpbrk(word, "/.") != NULL || access(word, F_OK) == 0)
		return &commands[0];
	return NULL;
}

static bool ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), size = strlen(suffix);
	return length >= size && strcmp(text + length - size, suffix) == 0;
}

static bool is_same_file(const char *left, const char *right)
{
	struct stat first, second;
	return stat(left, &first) == 0 && stat(right, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* The output is opened, and emptied, before anything is read: it must not be a trace. */
static int check_output(const char *path, const struct options *options)
{
	bool is_trace = ends_with(path, SUFFIX_TRACE) || ends_with(path, SUFFIX_LIVE);
	for (size_t i = 0; i < options->argument_count; i++)
		is_trace = is_trace || is_same_file(path, options->arguments[i]);
	if (!is_trace)
		return EXIT_CODE_FINE;
	return command_fail(EXIT_CODE_USAGE, NULL, "--output: '%s' is a trace", path);
}

static int check_arguments(const struct command *command, const struct options *options)
{
	char hint[64];
	snprintf(hint, sizeof(hint), "see '" PROGRAM_NAME " help %s'", command->name);
	if (strncmp(command->arguments, "RUN", 3) == 0 && options->argument_count == 0)
		return command_fail(EXIT_CODE_USAGE, hint, "%s: RUN is missing", command->name);
	size_t most = command->arguments[0] == '\0'  ? 0
		      : command->arguments[0] == '[' ? 1
						     : SIZE_MAX;
	if (options->argument_count > most)
		return command_fail(EXIT_CODE_USAGE, hint, "%s: '%s' is one argument too many",
			command->name, options->arguments[most]);
	const char *output = options_text(options, OPTION_OUTPUT);
	return output != NULL ? check_output(output, options) : EXIT_CODE_FINE;
}

static enum term_color color_of(const struct options *options)
{
	const char *color = options_text(options, OPTION_COLOR);
	if (strcmp(color, "always") == 0)
		return TERM_ALWAYS;
	return strcmp(color, "never") == 0 ? TERM_NEVER : TERM_AUTO;
}

/* Open the output, run, and notice when what was written could not be stored. */
static int run_command(const struct command *command, const struct options *options)
{
	struct out out;
	const char *path = options_text(options, OPTION_OUTPUT);
	struct command_context context = {.command = command, .options = options, .out = &out};
	const char *name = path != NULL ? path : "standard output";
	int err = out_open(&out, path);
	if (err < 0)
		return command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s", name, err_text(err));
	context.quiet = options_given(options, OPTION_QUIET);
	term_init(&context.term, color_of(options), out.fd);
	int code = EXIT_CODE_FINE;
	if (options_given(options, OPTION_HELP))
		help_command(&out, command);
	else
		code = actions[commands_id(command)](&context);
	err = out_close(&out);
	if (err == 0)
		return code;
	return command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s", name, err_text(err));
}

int cli_run(int argc, char **argv)
{
	struct options options;
	struct option_problem problem;
	int words;
	if (argc < 2)
		return command_fail(EXIT_CODE_USAGE, "see '" PROGRAM_NAME " help'",
			"RUN: the folder of a run, or a command, is missing");
	const struct command *command = choose(argc, argv, &words);
	if (command == NULL)
		return unknown_command(argv[1]);
	int code = EXIT_CODE_FINE;
	int err = options_parse(&options, command, argc - words, argv + words, &problem);
	if (err == -ENOMEM)
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s", command->name, err_text(err));
	else if (err < 0)
		code = command_fail(EXIT_CODE_USAGE, problem.hint, "%s", problem.text);
	else if (!options_given(&options, OPTION_HELP))
		code = check_arguments(command, &options);
	if (code == EXIT_CODE_FINE)
		code = run_command(command, &options);
	options_release(&options);
	if (memory_failed() && code != EXIT_CODE_SYSTEM)
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s, the output is not complete",
			command->name, err_text(-ENOMEM));
	return code;
}
