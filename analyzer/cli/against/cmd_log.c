/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cli/against/taking.h"
#include "analyzer/logbook/attempt.h"
#include "analyzer/logbook/logbook.h"
#include "analyzer/logbook/table.h"

#define PATH_BYTES   4096u
#define SAMPLES_MOST 1000000000000ull

static int out_of_memory(void)
{
	return command_fail(EXIT_CODE_SYSTEM, NULL, "log: %s", err_text(-ENOMEM));
}

static int read_log(const char *path, struct logbook *log)
{
	struct taken_file file;
	struct logbook_problem problem;
	int code = taking_file(path, &file);
	if (code != EXIT_CODE_FINE)
		return code;
	int err = logbook_read(log, file.bytes, file.size, &problem);
	free(file.bytes);
	if (err == -ENOMEM)
		return out_of_memory();
	if (err == 0)
		return EXIT_CODE_FINE;
	return problem.line > 0 ? command_fail(EXIT_CODE_USAGE, NULL, "%s:%llu: %s", path,
					  (unsigned long long)problem.line, problem.text)
				: command_fail(EXIT_CODE_USAGE, NULL, "%s: %s", path, problem.text);
}

/* Whole, or as it was: a new file takes the place of the old one. */
static int replace(const char *path, const struct logbook *log)
{
	char beside[PATH_BYTES + 32];
	struct stat stat_of;
	struct out out;
	(void)snprintf(beside, sizeof(beside), "%s.new.%ld", path, (long)getpid());
	int err = out_open(&out, beside);
	if (err < 0)
		return err;
	logbook_write(log, &out);
	bool modes = stat(path, &stat_of) == 0;
	err = out_close(&out);
	if (err == 0 && modes && chmod(beside, stat_of.st_mode & 07777) < 0)
		err = -errno;
	if (err == 0 && rename(beside, path) < 0)
		err = -errno;
	if (err < 0)
		(void)unlink(beside);
	return err;
}

/* The folder of a path, held until it is closed: one adds after the other. Below 0: not held. */
static int hold_folder(const char *path)
{
	char folder[PATH_BYTES];
	const char *slash = strrchr(path, '/');
	(void)snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - path + 1) : 1,
		slash != NULL ? path : ".");
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)flock(fd, LOCK_EX); /* where there are no locks, nobody adds at once */
	return fd;
}

static int take_samples(const struct command_context *context, uint64_t *ret_samples)
{
	const char *text = options_text(context->options, OPTION_SAMPLES);
	char *end = NULL;
	if (text == NULL)
		return EXIT_CODE_FINE;
	unsigned long long samples = strtoull(text, &end, 10);
	if (*text < '1' || *text > '9' || *end != '\0' || samples > SAMPLES_MOST)
		return command_fail(EXIT_CODE_USAGE, "samples in a step, of all ranks together",
			"--samples: '%s': no number of samples", text);
	*ret_samples = samples;
	return EXIT_CODE_FINE;
}

/* The row of what the user named, without a look at the log. */
static int take_attempt(const struct command_context *context, taken_runs *runs,
	struct logbook_attempt *ret_attempt)
{
	char root[PATH_BYTES];
	const struct options *options = context->options;
	const char *text = options_text(options, OPTION_MESSAGE);
	uint64_t samples = 0;
	if (options->argument_count < 2)
		return command_fail(EXIT_CODE_USAGE, "trace-analyzer log add RUN -m '4 workers'",
			"log add: RUN is missing");
	if (text == NULL || !logbook_takes_text(text))
		return command_fail(EXIT_CODE_USAGE, "what was done: -m '4 workers'",
			"log add: --message is %s",
			text == NULL ? "missing" : "not one line of at most 511 bytes");
	int code = take_samples(context, &samples);
	if (code == EXIT_CODE_FINE)
		code = taking_root(context, root, sizeof(root));
	for (size_t i = 1; i < options->argument_count && code == EXIT_CODE_FINE; i++)
		code = taking_run(context, options->arguments[i], root, runs);
	if (code == EXIT_CODE_FINE)
		code = taking_same(runs);
	if (code != EXIT_CODE_FINE)
		return code;
	if (!attempt_of(runs->items, runs->count, ret_attempt))
		return command_fail(EXIT_CODE_TRACE, NULL,
			"%s: it is not known how long a step takes", runs->items[0].name);
	ret_attempt->samples = samples;
	(void)snprintf(ret_attempt->text, sizeof(ret_attempt->text), "%s", text);
	return EXIT_CODE_FINE;
}

/* Read, add, write; the folder is held. */
static int add_attempt(const struct command_context *context, const char *path,
	const taken_runs *runs, const struct logbook_attempt *attempt)
{
	char why[320];
	struct logbook log = {0};
	int code = EXIT_CODE_FINE, err = 0;
	if (access(path, F_OK) == 0)
		code = read_log(path, &log);
	else
		attempt_begin(&log, runs->items);
	for (size_t i = 0; i < runs->count && code == EXIT_CODE_FINE; i++)
		if (attempt_refuses(&log, &runs->items[i], why, sizeof(why)) != NULL)
			code = command_fail(EXIT_CODE_USAGE,
				"each program has a log of its own: --file", "%s: %s",
				runs->items[i].name, why);
	if (code == EXIT_CODE_FINE && log.attempts.count == LOGBOOK_MOST)
		code = command_fail(EXIT_CODE_USAGE, "begin another one: --file",
			"%s: a log has at most %u attempts", path, LOGBOOK_MOST);
	if (code == EXIT_CODE_FINE)
		err = vec_push(&log.attempts, *attempt);
	if (code == EXIT_CODE_FINE && err == 0)
		err = replace(path, &log);
	if (err < 0)
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s", path, err_text(err));
	if (code == EXIT_CODE_FINE)
		table_last(context->out, &log);
	logbook_release(&log);
	return code;
}

static int add(const struct command_context *context, const char *path)
{
	taken_runs runs = {0};
	struct logbook_attempt attempt;
	int code = take_attempt(context, &runs, &attempt);
	if (code == EXIT_CODE_FINE && runs.items != NULL) {
		char *whole = realpath(path, NULL); /* a link stays one */
		const char *file = whole != NULL ? whole : path;
		int held = hold_folder(file);
		code = add_attempt(context, file, &runs, &attempt);
		if (held >= 0)
			close(held);
		free(whole);
	}
	taking_release(&runs);
	return code;
}

static int show(const struct command_context *context, const char *path)
{
	const struct options *options = context->options;
	const char *format = options_text(options, OPTION_FORMAT);
	struct logbook log = {0};
	if (options->argument_count > 1 || options_given(options, OPTION_MESSAGE) ||
		options_given(options, OPTION_SAMPLES))
		return command_fail(EXIT_CODE_USAGE, "trace-analyzer log show [--file FILE]",
			"log show: RUN, --message and --samples belong to log add");
	int code = read_log(path, &log);
	if (code == EXIT_CODE_FINE && strcmp(format, "markdown") == 0)
		table_markdown(context->out, &log);
	else if (code == EXIT_CODE_FINE && strcmp(format, "csv") == 0)
		table_csv(context->out, &log);
	else if (code == EXIT_CODE_FINE)
		table_text(context->out, &log);
	logbook_release(&log);
	return code;
}

int cmd_log(struct command_context *context)
{
	const struct options *options = context->options;
	const char *path = options_text(options, OPTION_FILE);
	const char *word = options->argument_count > 0 ? options->arguments[0] : "";
	if (strcmp(word, "add") == 0)
		return add(context, path);
	if (strcmp(word, "show") == 0)
		return show(context, path);
	return command_fail(EXIT_CODE_USAGE,
		"trace-analyzer log add RUN -m '4 workers', or trace-analyzer log show",
		"log: '%s': add or show", word);
}
