/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/against/taking.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHY_BYTES 320u

int taking_root(const struct command_context *context, char *buffer, size_t size)
{
	const char *root = options_text(context->options, OPTION_ROOT);
	if (root == NULL)
		return getcwd(buffer, size) != NULL
			       ? EXIT_CODE_FINE
			       : command_fail(EXIT_CODE_SYSTEM, NULL,
					 "--root: the current folder: %s", err_text(-errno));
	if (root[0] == '/' || getcwd(buffer, size) == NULL) {
		(void)snprintf(buffer, size, "%s", root);
		return EXIT_CODE_FINE;
	}
	size_t used = strlen(buffer);
	(void)snprintf(buffer + used, size - used, "/%s", root);
	return EXIT_CODE_FINE;
}

/* All bytes of an open file. 0 or a negative code. */
static int read_all(int fd, uint64_t limit, struct taken_file *ret_file)
{
	struct taken_file file = {0};
	size_t room = 0;
	for (;;) {
		if (file.size == room) {
			char *grown = vec_grow(file.bytes, &room, room + 65536, 1);
			if (grown == NULL) {
				free(file.bytes);
				return -ENOMEM;
			}
			file.bytes = grown;
		}
		ssize_t size = read(fd, file.bytes + file.size, room - file.size);
		if (size == 0)
			break;
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0 || file.size + (size_t)size > limit) {
			int err = size < 0 ? -errno : -EFBIG;
			free(file.bytes);
			return err;
		}
		file.size += (size_t)size;
	}
	*ret_file = file;
	return 0;
}

int taking_file(const char *path, struct taken_file *ret_file)
{
	struct stat stat = {0};
	*ret_file = (struct taken_file){0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : fstat(fd, &stat) < 0 ? -errno : 0;
	if (err == 0)
		err = S_ISDIR(stat.st_mode) ? -EISDIR : read_all(fd, SUMMARY_BYTES, ret_file);
	if (fd >= 0)
		close(fd);
	if (err == 0)
		return EXIT_CODE_FINE;
	return command_fail(err == -ENOENT || err == -EISDIR ? EXIT_CODE_USAGE : EXIT_CODE_SYSTEM,
		NULL, "%s: %s", path, err_text(err));
}

/* A plain file that begins as JSON does. */
static bool is_json(const char *path)
{
	struct stat stat;
	char first = '\0';
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool plain = fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode);
	while (plain && read(fd, &first, 1) == 1 && (first == ' ' || first == '\n'))
		;
	close(fd);
	return first == '{';
}

/* The report of a run, as JSON in memory. */
static int report_run(const struct command_context *context, const char *path, struct out *out)
{
	struct options options = *context->options;
	char *argument = (char *)path;
	options.arguments = &argument;
	options.argument_count = 1;
	options.values[OPTION_ROOT].given = false; /* the summary takes files below it */
	options.values[OPTION_FORMAT].given = true;
	options.values[OPTION_FORMAT].text = "json";
	struct command_context report = {
		.options = &options, .out = out, .quiet = context->quiet, .bare = true};
	report.command = &commands[COMMAND_REPORT];
	int code = cmd_report(&report);
	/* not enough for a verdict may be enough for counts */
	return code == EXIT_CODE_TRACE && out->used > 0 ? EXIT_CODE_FINE : code;
}

/* Why a run or rank holds nothing that can be compared, into why; NULL: it does. */
static const char *unfit(
	const struct summary *summary, char *why, size_t size, const char **ret_hint)
{
	const char *reason =
		summary->health_reasons.count > 0 ? summary->health_reasons.items[0] : "no reason";
	*ret_hint = NULL;
	if (summary->health == NULL || strcmp(summary->health, "bad") == 0) {
		(void)snprintf(
			why, size, "the trace cannot be trusted (%s), so it is not used", reason);
	} else if (summary->lost > 0) {
		*ret_hint = "record it again with a larger LIBTRACE_RING_KB";
		(void)snprintf(why, size,
			"%" PRIu64 " events are not in the trace, so counts are not exact",
			summary->lost);
	} else if (summary->steps == 0) {
		*ret_hint = "name what ends a step: --step-range or --step-marker";
		(void)snprintf(why, size,
			"no training steps were recognised, so there is nothing to compare");
	} else {
		return NULL;
	}
	return why;
}

static int fail_unfit(const char *path, const struct summary *summary)
{
	char why[WHY_BYTES];
	const char *hint;
	if (unfit(summary, why, sizeof(why), &hint) == NULL)
		return EXIT_CODE_FINE;
	return command_fail(EXIT_CODE_TRACE, hint, "%s: %s", path, why);
}

/* Each rank of a report is there once. */
static int fail_twice(const char *path, const struct summary *summary)
{
	for (size_t i = 1; i <= summary->others.count; i++)
		for (size_t k = 0; k < i; k++)
			if (summary_rank(summary, i)->rank == summary_rank(summary, k)->rank)
				return command_fail(EXIT_CODE_TRACE, NULL,
					"%s: rank %" PRId64 " is there twice", path,
					summary_rank(summary, i)->rank);
	return EXIT_CODE_FINE;
}

/* The run or report at path into *summary, which is released when it is not taken. */
static int take(const struct command_context *context, const char *path, const char *root,
	struct summary *summary)
{
	struct taken_file file = {0};
	struct out out = {0};
	struct summary_problem problem;
	bool json = is_json(path);
	int code = EXIT_CODE_FINE, err = 0;
	*summary = (struct summary){0};
	if (json)
		code = taking_file(path, &file);
	else if (out_open_memory(&out) < 0)
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s", path, err_text(-ENOMEM));
	else
		code = report_run(context, path, &out);
	if (code == EXIT_CODE_FINE)
		err = summary_read(summary, path, json ? file.bytes : out.buffer,
			json ? file.size : out.used, root, &problem);
	if (err == -ERR_BAD_VALUE)
		code = command_fail(EXIT_CODE_TRACE, NULL, "%s: %s", path, problem.text);
	else if (err < 0)
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s", path, err_text(err));
	else if (code == EXIT_CODE_FINE)
		code = fail_unfit(path, summary);
	if (code == EXIT_CODE_FINE)
		code = fail_twice(path, summary);
	if (code != EXIT_CODE_FINE)
		summary_release(summary);
	if (!json)
		(void)out_close(&out);
	free(file.bytes);
	return code;
}

int taking_run(
	const struct command_context *context, const char *path, const char *root, taken_runs *runs)
{
	struct summary summary;
	int code = take(context, path, root, &summary);
	if (code == EXIT_CODE_FINE && vec_push(runs, summary) < 0) {
		summary_release(&summary);
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s", path, err_text(-ENOMEM));
	}
	return code;
}

static int by_rank(const void *a, const void *b)
{
	const struct summary *x = a, *y = b;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The lowest rank stands for the run, so that it is the same one in each. */
static void put_lowest_first(struct summary *run)
{
	__typeof__(run->others) others = run->others;
	if (others.count == 0)
		return;
	qsort(others.items, others.count, sizeof(others.items[0]), by_rank);
	if (others.items[0].rank > run->rank)
		return;
	struct summary was = *run;
	memset(&was.others, 0, sizeof(was.others));
	*run = others.items[0];
	others.items[0] = was;
	qsort(others.items, others.count, sizeof(others.items[0]), by_rank);
	run->others = others;
}

static void drop_others(struct summary *run)
{
	VEC_FOREACH (other, &run->others)
		summary_release(other);
	run->others.count = 0;
}

int taking_all_ranks(const struct command_context *context, struct summary *run)
{
	char why[WHY_BYTES];
	const char *hint;
	struct stat stat_of;
	if (options_given(context->options, OPTION_RANKS)) {
		drop_others(run);
		return EXIT_CODE_FINE;
	}
	if (run->unread > 0 && run->world_size > 1)
		return command_fail(EXIT_CODE_TRACE, NULL,
			"%s: %" PRIu64 " of its files cannot be read, so not every rank is known",
			run->name, run->unread);
	VEC_FOREACH (other, &run->others)
		if (unfit(other, why, sizeof(why), &hint) != NULL)
			return command_fail(EXIT_CODE_TRACE, hint, "%s: rank %" PRId64 ": %s",
				run->name, other->rank, why);
	put_lowest_first(run);
	run->whole = stat(run->name, &stat_of) == 0 && S_ISDIR(stat_of.st_mode);
	return EXIT_CODE_FINE;
}

void taking_good_ranks(const struct command_context *context, struct summary *run)
{
	char why[WHY_BYTES];
	const char *hint;
	size_t kept = 0;
	for (size_t i = 0; i < run->others.count; i++) {
		struct summary *other = &run->others.items[i];
		if (unfit(other, why, sizeof(why), &hint) == NULL) {
			run->others.items[kept++] = *other;
			continue;
		}
		command_note(context, "%s: rank %" PRId64 " is left out: %s", run->name,
			other->rank, why);
		summary_release(other);
	}
	run->others.count = kept;
	put_lowest_first(run);
}

void taking_release(taken_runs *runs)
{
	VEC_FOREACH (run, runs)
		summary_release(run);
	vec_release(runs);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Two runs are not of one program. */
static int fail_mixed(const struct summary *first, const struct summary *run, const char *what,
	const char *was, const char *is)
{
	return command_fail(EXIT_CODE_USAGE, "runs that are judged together are of one program",
		"%s and %s are of different %s (%s and %s)", first->name, run->name, what,
		was != NULL ? was : "unknown", is != NULL ? is : "unknown");
}

/* As far as ranks were added to either. */
static bool same_ranks(const struct summary *first, const struct summary *run)
{
	if (first->others.count != run->others.count ||
		(first->others.count > 0 && first->rank != run->rank))
		return false;
	for (size_t i = 0; i < first->others.count; i++)
		if (first->others.items[i].rank != run->others.items[i].rank)
			return false;
	return true;
}

int taking_same(const taken_runs *runs)
{
	const struct summary *first = &runs->items[0];
	for (size_t i = 1; i < runs->count; i++) {
		const struct summary *run = &runs->items[i];
		char was[24], is[24];
		if (!same_text(first->program, run->program))
			return fail_mixed(first, run, "programs", first->program, run->program);
		if (!same_text(first->framework, run->framework))
			return fail_mixed(
				first, run, "frameworks", first->framework, run->framework);
		(void)snprintf(was, sizeof(was), "%" PRIu64, first->world_size);
		(void)snprintf(is, sizeof(is), "%" PRIu64, run->world_size);
		if (first->world_size != run->world_size)
			return fail_mixed(first, run, "world sizes", was, is);
		if (!same_ranks(first, run))
			return command_fail(EXIT_CODE_USAGE, "record all ranks of each",
				"%s and %s have not the same ranks", first->name, run->name);
	}
	return EXIT_CODE_FINE;
}
