/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/cli/against/taking.h"
#include "analyzer/cli/judging.h"
#include "analyzer/gate/budget.h"
#include "analyzer/gate/every.h"
#include "analyzer/gate/judge.h"
#include "analyzer/gate/print.h"
#include "analyzer/gate/severity.h"
#include "analyzer/gate/text/baseline_text.h"

#define PATH_BYTES 4096u

/* What the runs are held against, as the user named it. */
struct check {
	const struct command_context *context;
	char root[PATH_BYTES];
	taken_runs runs, base_runs;
	struct baseline baseline;
	budget_list budgets;
	struct gate_result result;
	bool based; /* there is a baseline */
};

static int out_of_memory(void)
{
	return command_fail(EXIT_CODE_SYSTEM, NULL, "check: %s", err_text(-ENOMEM));
}

/* A count of a limit for the number of an option's values. */
static int take_budgets(struct check *check, enum option_id id, bool most)
{
	size_t count;
	const char *const *texts = options_list(check->context->options, id, &count);
	for (size_t i = 0; i < count; i++) {
		int err = budget_add(&check->budgets, most, texts[i], strlen(texts[i]));
		if (err == -ENOMEM)
			return out_of_memory();
		if (err < 0)
			return command_fail(EXIT_CODE_USAGE, "write it as syncs=0/step",
				"--%s: '%s': no budget", option_specs[id].name, texts[i]);
	}
	return EXIT_CODE_FINE;
}

static int take_budget_file(struct check *check)
{
	const char *path = options_text(check->context->options, OPTION_BUDGETS);
	struct taken_file file;
	uint64_t line;
	if (path == NULL)
		return EXIT_CODE_FINE;
	int code = taking_file(path, &file);
	if (code != EXIT_CODE_FINE)
		return code;
	int err = budget_read(&check->budgets, file.bytes, file.size, &line);
	free(file.bytes);
	if (err == -ENOMEM)
		return out_of_memory();
	return err == 0 ? EXIT_CODE_FINE
			: command_fail(EXIT_CODE_USAGE,
				  "a line is 'max syncs = 0/step' or 'min gpu_busy = 80'",
				  "%s:%llu: no budget", path, (unsigned long long)line);
}

static int check_words(struct check *check)
{
	size_t count;
	const char *const *words = options_list(check->context->options, OPTION_FAIL_ON, &count);
	int code = EXIT_CODE_FINE;
	for (size_t i = 0; i < count && code == EXIT_CODE_FINE; i++) {
		const char *rule = severity_rule(words[i]);
		if (!severity_is(words[i]))
			code = command_fail(EXIT_CODE_USAGE, "high, medium, low, info or rule=NAME",
				"--fail-on: '%s': no severity", words[i]);
		else if (rule != NULL)
			code = judging_rule("fail-on", rule);
	}
	return code;
}

static int read_baseline(struct check *check, const char *path)
{
	struct taken_file file;
	struct baseline_problem problem;
	int code = taking_file(path, &file);
	if (code != EXIT_CODE_FINE)
		return code;
	int err = baseline_read(&check->baseline, file.bytes, file.size, &problem);
	free(file.bytes);
	if (err == -ENOMEM)
		return out_of_memory();
	if (err == 0)
		return EXIT_CODE_FINE;
	const char *hint = "write it again: check RUN... --write-baseline FILE";
	return problem.line > 0 ? command_fail(EXIT_CODE_USAGE, hint, "%s:%llu: %s", path,
					  (unsigned long long)problem.line, problem.text)
				: command_fail(EXIT_CODE_USAGE, hint, "%s: %s", path, problem.text);
}

/*
 * The file is a baseline as far as it says so, also where something stands before that. What can be
 * read but once is none of the others, which are read from place to place.
 */
static bool is_baseline(const char *path)
{
	char head[1024];
	struct stat status;
	if (stat(path, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
		return true;
	FILE *file = fopen(path, "re");
	size_t size = file != NULL ? fread(head, 1, sizeof(head), file) : 0;
	if (file != NULL)
		(void)fclose(file);
	return baseline_is(head, size);
}

/* Each run is another recording: one that is named again says nothing more. */
static int refuse_again(const char *path, const taken_runs *runs)
{
	struct stat own, other;
	for (size_t i = 0; i < runs->count; i++)
		if (stat(path, &own) == 0 && stat(runs->items[i].name, &other) == 0 &&
			own.st_dev == other.st_dev && own.st_ino == other.st_ino)
			return command_fail(EXIT_CODE_USAGE, "several runs are recorded one by one",
				"check: '%s' is named twice", path);
	return EXIT_CODE_FINE;
}

/* A run with all of its ranks. */
static int take_run(struct check *check, const char *path, taken_runs *runs)
{
	int code = refuse_again(path, runs);
	if (code == EXIT_CODE_FINE)
		code = taking_run(check->context, path, check->root, runs);
	if (code == EXIT_CODE_FINE)
		code = taking_all_ranks(check->context, &runs->items[runs->count - 1]);
	return code;
}

/* --baseline: a baseline's file, or runs or reports to make one from. */
static int take_baseline(struct check *check)
{
	size_t count;
	const char *const *paths = options_list(check->context->options, OPTION_BASELINE, &count);
	int code = EXIT_CODE_FINE;
	check->based = count > 0;
	if (count == 1 && is_baseline(paths[0]))
		return read_baseline(check, paths[0]);
	for (size_t i = 0; i < count && code == EXIT_CODE_FINE; i++) {
		if (is_baseline(paths[i]))
			code = command_fail(EXIT_CODE_USAGE, "one baseline, or several runs",
				"--baseline: '%s' is a baseline beside others", paths[i]);
		else
			code = take_run(check, paths[i], &check->base_runs);
	}
	if (code == EXIT_CODE_FINE && count > 0)
		code = taking_same(&check->base_runs);
	if (code == EXIT_CODE_FINE && count > 0 &&
		baseline_of(&check->baseline, check->base_runs.items, check->base_runs.count) < 0)
		code = out_of_memory();
	return code;
}

static int take_all(struct check *check)
{
	const struct options *options = check->context->options;
	int code = taking_root(check->context, check->root, sizeof(check->root));
	if (code == EXIT_CODE_FINE)
		code = take_budgets(check, OPTION_MAX, true);
	if (code == EXIT_CODE_FINE)
		code = take_budgets(check, OPTION_MIN, false);
	if (code == EXIT_CODE_FINE)
		code = take_budget_file(check);
	if (code == EXIT_CODE_FINE)
		code = check_words(check);
	if (code == EXIT_CODE_FINE && !options_given(options, OPTION_BASELINE) &&
		!options_given(options, OPTION_WRITE_BASELINE) &&
		!options_given(options, OPTION_FAIL_ON) && check->budgets.count == 0)
		code = command_fail(EXIT_CODE_USAGE,
			"give --baseline, --max, --min, --budgets, --fail-on or --write-baseline",
			"check: there is nothing to check against");
	if (code == EXIT_CODE_FINE)
		code = take_baseline(check);
	for (size_t i = 0; i < options->argument_count && code == EXIT_CODE_FINE; i++)
		code = take_run(check, options->arguments[i], &check->runs);
	return code == EXIT_CODE_FINE ? taking_same(&check->runs) : code;
}

static int judge_baseline(struct check *check)
{
	char why[320];
	const struct summary *runs = check->runs.items;
	bool times = options_given(check->context->options, OPTION_TIMES);
	if (!check->based)
		return EXIT_CODE_FINE;
	if (baseline_refuses(&check->baseline, &runs[0], why, sizeof(why)) != NULL)
		return command_fail(EXIT_CODE_USAGE, "each program has a baseline of its own",
			"%s: %s", runs[0].name, why);
	if (every_refuses(&check->baseline, &runs[0], why, sizeof(why)) != NULL)
		return command_fail(EXIT_CODE_TRACE,
			"record all ranks, or write the baseline again", "%s: %s", runs[0].name,
			why);
	if (times && (check->runs.count < TIMES_RUNS || check->baseline.times.count < TIMES_RUNS))
		return command_fail(EXIT_CODE_USAGE, "times vary from run to run; record more runs",
			"--times: %u runs are needed on both sides, there are %zu, and %zu in the "
			"baseline",
			TIMES_RUNS, check->runs.count, check->baseline.times.count);
	int err = judge_versions(&check->result, &check->baseline, &runs[0]);
	if (err == 0)
		err = every_count(&check->result, &check->baseline, runs, check->runs.count);
	if (err == 0)
		err = judge_times(&check->result, &check->baseline, runs, check->runs.count);
	return err == 0 ? EXIT_CODE_FINE : out_of_memory();
}

static int judge_rest(struct check *check)
{
	size_t count;
	const struct summary *runs = check->runs.items;
	const char *const *words = options_list(check->context->options, OPTION_FAIL_ON, &count);
	const char *name = NULL;
	int err = judge_device(&check->result, runs, check->runs.count);
	if (err == 0)
		err = judge_ranks(&check->result, &runs[0]);
	if (err == 0)
		err = every_budget(&check->result, &check->budgets, runs, check->runs.count, &name);
	if (err == -ERR_UNKNOWN_NAME)
		return command_fail(EXIT_CODE_USAGE,
			"syncs, launches, copies, copies.pageable, allocations, to_device_bytes, "
			"to_host_bytes, graph_launches, collectives, operators, gpu_busy, reader, "
			"host, step_ms",
			"'%s': no number of a run", name);
	if (err == -ERR_BAD_VALUE)
		return command_fail(EXIT_CODE_TRACE, NULL, "%s: this run does not tell '%s'",
			runs[0].name, name);
	if (err == 0 && count > 0)
		err = every_finding(&check->result, words, count, runs, check->runs.count);
	return err == 0 ? EXIT_CODE_FINE : out_of_memory();
}

/* Written over, it would let the same runs pass at the next try. */
static bool is_judged_against(const struct check *check, const char *path)
{
	size_t count;
	struct stat own, other;
	const char *const *paths = options_list(check->context->options, OPTION_BASELINE, &count);
	for (size_t i = 0; i < count && stat(path, &own) == 0; i++)
		if (stat(paths[i], &other) == 0 && own.st_dev == other.st_dev &&
			own.st_ino == other.st_ino)
			return true;
	return false;
}

static int write_baseline(struct check *check)
{
	const char *path = options_text(check->context->options, OPTION_WRITE_BASELINE);
	struct baseline baseline;
	struct out out;
	if (path == NULL)
		return EXIT_CODE_FINE;
	if (check->result.failures.count > 0 && is_judged_against(check, path)) {
		command_note(check->context, "%s: left as it is, since the check fails", path);
		return EXIT_CODE_FINE;
	}
	int err = baseline_of(&baseline, check->runs.items, check->runs.count);
	if (err == 0)
		err = out_open(&out, path);
	if (err == 0) {
		baseline_write(&baseline, &out);
		err = out_close(&out);
	}
	size_t varying = 0;
	for (size_t i = 0; i < baseline.rows.count; i++)
		varying += baseline.rows.items[i].varies;
	if (err == 0 && varying > 0)
		command_note(check->context,
			"%s: %zu of %zu rows differ between the runs and are left out", path,
			varying, baseline.rows.count);
	baseline_release(&baseline);
	return err == 0 ? EXIT_CODE_FINE
			: command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s", path, err_text(err));
}

static void print(const struct check *check)
{
	struct out *out = check->context->out;
	const char *format = options_text(check->context->options, OPTION_FORMAT);
	if (strcmp(format, "json") == 0)
		print_json(out, &check->result);
	else if (strcmp(format, "markdown") == 0)
		print_markdown(out, &check->result);
	else if (strcmp(format, "junit") == 0)
		print_junit(out, &check->result);
	else if (strcmp(format, "sarif") == 0)
		print_sarif(out, &check->result, PROGRAM_VERSION);
	else
		print_text(out, &check->context->term, &check->result);
}

int cmd_check(struct command_context *context)
{
	struct check check = {.context = context};
	int code = take_all(&check);
	if (code == EXIT_CODE_FINE) {
		check.result.program = check.runs.items[0].program;
		check.result.runs = check.runs.count;
		code = judge_baseline(&check);
	}
	if (code == EXIT_CODE_FINE)
		code = judge_rest(&check);
	if (code == EXIT_CODE_FINE)
		code = write_baseline(&check);
	bool judged = check.based || check.budgets.count > 0 ||
		      options_given(context->options, OPTION_FAIL_ON);
	if (code == EXIT_CODE_FINE && judged) {
		print(&check);
		code = check.result.failures.count > 0 ? EXIT_CODE_CHECK : EXIT_CODE_FINE;
	}
	gate_release(&check.result);
	vec_release(&check.budgets);
	baseline_release(&check.baseline);
	taking_release(&check.base_runs);
	taking_release(&check.runs);
	return code;
}
