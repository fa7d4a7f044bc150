/* SPDX-License-Identifier: MIT */
/*
 * A command at work. cmd_<name>() of each row of commands.def gets its parsed options and an open
 * output and returns the exit code. Commands are the only place that reports errors: one line on
 * stderr, "trace-analyzer: place: reason", and at most one line with a hint.
 *
 * cli.c opens the output, runs the command and closes the output; a command that wrote everything
 * but whose output could not be stored ends with EXIT_CODE_SYSTEM. Not thread-safe.
 */
#ifndef ANALYZER_COMMAND_H
#define ANALYZER_COMMAND_H

#include <stdbool.h>

#include "analyzer/cli/options.h"
#include "analyzer/read/reader.h"
#include "analyzer/run/run.h"
#include "analyzer/text/out.h"
#include "analyzer/text/term.h"
#include "collector/base/err.h"

#define PROGRAM_NAME "trace-analyzer"
#ifdef LIBTRACE_VERSION
#define PROGRAM_VERSION LIBTRACE_VERSION
#else
#define PROGRAM_VERSION "0"
#endif

enum exit_code {
	EXIT_CODE_FINE = 0,
	EXIT_CODE_CHECK = 1, /* a check failed */
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_TRACE = 3,  /* trace unreadable, or not enough for a verdict */
	EXIT_CODE_SYSTEM = 4, /* any other system error */
};

struct command_context {
	const struct command *command;
	const struct options *options;
	struct out *out;  /* results */
	struct term term; /* of the output */
	bool quiet;
	bool bare; /* a report for another command: JSON without its tables */
};

#define COMMAND(id, name, formats, arguments, summary, details)                                    \
	int cmd_##name(struct command_context *context);
#include "analyzer/cli/commands.def"
#undef COMMAND

/*
 * Print "trace-analyzer: <text>" on stderr, and hint on a second line unless NULL or empty; returns
 * code, so that commands can return it.
 */
int command_fail(enum exit_code code, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A trace (path) could not be read: err is a negative code, at may be NULL. Returns
 * EXIT_CODE_TRACE, or EXIT_CODE_SYSTEM when memory or descriptors ran out.
 */
int command_fail_input(const char *path, int err, const struct err_at *at);

/* The files behind the command's arguments. EXIT_CODE_FINE, or the reported exit code. */
int command_open_run(const struct command_context *context, struct run *ret_run);

/* A remark on stderr that is not an error; nothing with --quiet. */
void command_note(const struct command_context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * What is wrong with a trace that was read to its end, in one line on stderr; nothing when all is
 * well. Also with --quiet, since figures that rest on it are not whole.
 */
void command_note_health(const char *path, const struct reader_health *health);

#endif
