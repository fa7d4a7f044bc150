/* SPDX-License-Identifier: MIT */
/*
 * The program trace-analyzer: a command line in, an exit code out. Results go to standard output or
 * to the file of --output, everything else to standard error.
 *
 * What each command does is in cmd_<name>.c, the commands and their options are tables
 * (commands.def, options.def). One call per process.
 */
#ifndef ANALYZER_CLI_H
#define ANALYZER_CLI_H

/* Do what the words ask for; argv[0] is the program. Returns the exit code (enum exit_code). */
int cli_run(int argc, char **argv);

#endif
