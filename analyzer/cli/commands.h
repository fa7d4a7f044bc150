/* SPDX-License-Identifier: MIT */
/*
 * The list of commands, from one table (commands.def): what each is called, what it takes and what
 * the help says of it. What a command does is its cmd_<name>(), see command.h.
 *
 * Constant; any thread.
 */
#ifndef ANALYZER_COMMANDS_H
#define ANALYZER_COMMANDS_H

enum command_id {
#define COMMAND(id, name, formats, arguments, summary, details) COMMAND_##id,
#include "analyzer/cli/commands.def"
#undef COMMAND
	COMMAND_COUNT
};

struct command {
	const char *name;
	const char *formats;   /* for --format, NULL: none */
	const char *arguments; /* as the help prints them */
	const char *summary;
	const char *details;
};

extern const struct command commands[COMMAND_COUNT];

/* The command of that name, or NULL. */
const struct command *commands_find(const char *name);

/* Its number; command is one of the table. */
enum command_id commands_id(const struct command *command);

#endif
