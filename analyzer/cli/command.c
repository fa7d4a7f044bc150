/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "collector/format/suffix.h"

/* Text of a user or a trace may hold anything: control characters would act on the terminal. */
static void print_line(const char *prefix, const char *text)
{
	fputs(prefix, stderr);
	while (*text != '\0') {
		size_t length = out_utf8_length(text), acting = out_control(text);
		if (length == 0 || acting != 0)
			fputc('?', stderr);
		else
			(void)fwrite(text, 1, length, stderr);
		text += acting != 0 ? acting : length != 0 ? length : 1;
	}
	fputc('\n', stderr);
}

int command_fail(enum exit_code code, const char *hint, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	print_line(PROGRAM_NAME ": ", text);
	if (hint != NULL && hint[0] != '\0')
		print_line("  ", hint);
	return (int)code;
}

int command_fail_input(const char *path, int err, const struct err_at *at)
{
	enum exit_code code = EXIT_CODE_TRACE;
	const char *hint = NULL;
	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		code = EXIT_CODE_SYSTEM;
	if (err == -ERR_NO_TRACE)
		hint = "a run's folder holds files named <host>-<pid>" SUFFIX_TRACE;
	if (err == -ERR_NEWER_VERSION)
		hint = "read it with the version of " PROGRAM_NAME " that belongs to the recorder";
	if (at != NULL && at->what != NULL && err == -ERR_TRUNCATED)
		return command_fail(code, hint, "%s: %s, %s", path, err_text(err), at->what);
	if (at != NULL && at->what != NULL && err <= -ERR_NOT_A_TRACE && at->offset > 0)
		return command_fail(code, hint, "%s: %s (%s at byte %llu)", path, err_text(err),
			at->what, (unsigned long long)at->offset);
	return command_fail(code, hint, "%s: %s", path, err_text(err));
}

/* The runs of a folder, one line each. */
static void list_runs(const struct run *run)
{
	for (size_t i = 0; i < run->parts.count; i++) {
		const struct run_part *part = &run->parts.items[i];
		time_t seconds = (time_t)(part->begin_ns / 1000000000);
		struct tm date;
		char stamp[32] = "", text[RUN_TEXT * 2 + 96];
		if (gmtime_r(&seconds, &date) != NULL)
			(void)strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S UTC", &date);
		snprintf(text, sizeof(text), "%s  %s, %zu process%s, from %s", part->id,
			part->program, part->processes, part->processes == 1 ? "" : "es", stamp);
		print_line("  ", text);
	}
}

/* A folder that is not there would leave every path as it is without a word. */
static int check_root(const struct options *options)
{
	const char *root = options_text(options, OPTION_ROOT);
	struct stat status;
	if (root == NULL)
		return EXIT_CODE_FINE;
	int err = stat(root, &status) < 0 ? -errno : 0;
	if (err == 0 && !S_ISDIR(status.st_mode))
		err = -ENOTDIR;
	return err == 0
		       ? EXIT_CODE_FINE
		       : command_fail(EXIT_CODE_USAGE, NULL, "--root: %s: %s", root, err_text(err));
}

int command_open_run(const struct command_context *context, struct run *ret_run)
{
	struct err_at at = {0};
	const struct options *options = context->options;
	int code = check_root(options);
	if (code != EXIT_CODE_FINE)
		return code;
	const char *wanted = options_text(options, OPTION_RUN);
	int err = run_init(ret_run, options->arguments, options->argument_count, wanted, &at);
	if (err == 0)
		return EXIT_CODE_FINE;
	const char *path = at.what != NULL ? at.what : "memory";
	if (err != -ERR_MANY_RUNS && err != -ERR_UNKNOWN_NAME)
		return command_fail_input(path, err, &at);
	if (err == -ERR_MANY_RUNS)
		(void)command_fail(EXIT_CODE_USAGE, NULL,
			"%s: more than one run was recorded here, name one: --run last, or --run "
			"with an id",
			path);
	else
		(void)command_fail(EXIT_CODE_USAGE, NULL, "--run: '%s': no such run", wanted);
	list_runs(ret_run);
	run_release(ret_run);
	return EXIT_CODE_USAGE;
}

void command_note(const struct command_context *context, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	if (context->quiet)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	print_line(PROGRAM_NAME ": ", text);
}

struct line {
	char text[512];
	size_t used;
};

/* "3 damaged frames"; nothing for 0. */
static void add_count(struct line *line, uint64_t count, const char *singular, const char *plural)
{
	if (count == 0 || line->used >= sizeof(line->text))
		return;
	int size = snprintf(line->text + line->used, sizeof(line->text) - line->used, "%s%llu %s",
		line->used == 0 ? "" : ", ", (unsigned long long)count,
		count == 1 ? singular : plural);
	line->used += size > 0 ? (size_t)size : 0;
}

static void add_words(struct line *line, bool wanted, const char *words)
{
	if (!wanted || line->used >= sizeof(line->text))
		return;
	int size = snprintf(line->text + line->used, sizeof(line->text) - line->used, "%s%s",
		line->used == 0 ? "" : ", ", words);
	line->used += size > 0 ? (size_t)size : 0;
}

void command_note_health(const char *path, const struct reader_health *health)
{
	struct line line = {{0}, 0};
	add_words(&line, health->truncated, "the file is cut off");
	add_words(&line, !health->clean_end && !health->truncated,
		"the process was killed or is still running");
	add_words(&line, health->gone && !health->clean_end,
		"what it had not yet written was in memory that is gone");
	add_words(&line, health->newer, "parts written by a newer version are left out");
	add_count(&line, health->damaged_frames, "damaged part", "damaged parts");
	add_count(&line, health->damaged_bytes, "damaged byte", "damaged bytes");
	add_count(&line, health->missing_frames, "missing part", "missing parts");
	add_count(&line, health->duplicate_frames, "part that is there twice",
		"parts that are there twice");
	add_count(&line, health->reordered_frames, "part out of order", "parts out of order");
	add_count(&line, health->foreign_frames, "part of another process",
		"parts of another process");
	add_count(&line, health->missing, "event missing", "events missing");
	add_count(&line, health->lost, "event lost while recording", "events lost while recording");
	add_count(&line, health->recovered, "event recovered", "events recovered");
	add_count(&line, health->skipped_items, "entry of an unknown kind",
		"entries of an unknown kind");
	if (line.used == 0)
		return;
	char text[1024];
	snprintf(text, sizeof(text), "%.480s: %s", path, line.text);
	print_line(PROGRAM_NAME ": ", text);
}
