/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/commands.h"

#include <string.h>

/* clang-format off */
const struct command commands[COMMAND_COUNT] = {
#define COMMAND(id, name, formats, arguments, summary, details) \
	[COMMAND_##id] = {#name, formats, arguments, summary, details},
#include "analyzer/cli/commands.def"
#undef COMMAND
};
/* clang-format on */

const struct command *commands_find(const char *name)
{
	for (unsigned i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

enum command_id commands_id(const struct command *command)
{
	return (enum command_id)(command - commands);
}
