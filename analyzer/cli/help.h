/* SPDX-License-Identifier: MIT */
/*
 * Help out of the tables of commands and options: the list of commands, one
 * command's page (which fits one screen), the manual page and the shell completion.
 * The last two are stored under scripts/ and installed; a test compares them with
 * what is made here.
 */
#ifndef ANALYZER_HELP_H
#define ANALYZER_HELP_H

#include "analyzer/cli/command.h"

void help_overview(struct out *out);
void help_command(struct out *out, const struct command *command);

/* Every limit with its default, and every rule. */
void help_thresholds(struct out *out);
void help_rules(struct out *out);

/* trace-analyzer.1, in man's own language. */
void help_manual(struct out *out);

/* A completion script for bash. */
void help_completion(struct out *out);

#endif
