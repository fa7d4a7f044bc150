/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/cli/against/taking.h"
#include "analyzer/compare/make.h"
#include "analyzer/compare/show.h"
#include "analyzer/page/sides.h"

#define PATH_BYTES 4096u

static int take_run(
	const struct command_context *context, const char *path, const char *root, taken_runs *runs)
{
	int code = taking_run(context, path, root, runs);
	if (code == EXIT_CODE_FINE)
		taking_good_ranks(context, &runs->items[runs->count - 1]);
	return code;
}

/* Both sides: the last argument against the first, and what --base and --new add to them. */
static int take_sides(const struct command_context *context, taken_runs *base, taken_runs *next)
{
	char root[PATH_BYTES];
	const struct options *options = context->options;
	size_t count;
	int code = taking_root(context, root, sizeof(root));
	if (code == EXIT_CODE_FINE && options->argument_count < 2)
		code = command_fail(EXIT_CODE_USAGE, "trace-analyzer compare BASE NEW",
			"compare: two runs are needed, there is one");
	if (code == EXIT_CODE_FINE && options->argument_count > 2)
		code = command_fail(EXIT_CODE_USAGE,
			"of several runs on a side name the others with --also-base and --also-new",
			"compare: '%s' is one argument too many", options->arguments[2]);
	if (code == EXIT_CODE_FINE)
		code = take_run(context, options->arguments[0], root, base);
	if (code == EXIT_CODE_FINE)
		code = take_run(context, options->arguments[1], root, next);
	const char *const *paths = options_list(options, OPTION_ALSO_BASE, &count);
	for (size_t i = 0; i < count && code == EXIT_CODE_FINE; i++)
		code = take_run(context, paths[i], root, base);
	paths = options_list(options, OPTION_ALSO_NEW, &count);
	for (size_t i = 0; i < count && code == EXIT_CODE_FINE; i++)
		code = take_run(context, paths[i], root, next);
	if (code == EXIT_CODE_FINE)
		code = taking_same(base);
	return code == EXIT_CODE_FINE ? taking_same(next) : code;
}

static void note_difference(
	const struct command_context *context, const char *what, const char *base, const char *next)
{
	base = base != NULL ? base : "none";
	next = next != NULL ? next : "none";
	if (strcmp(base, next) != 0)
		command_note(context, "compare: the sides differ in their %s: %s and %s", what,
			base, next);
}

/* Those of a run, as a list. */
static void name_ranks(const struct summary *run, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, run->others.count > 0 ? "ranks" : "rank");
	if (run->rank < 0)
		(void)snprintf(text, size, "no rank");
	for (size_t i = 0; i <= run->others.count && run->rank >= 0 && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s %" PRId64, i > 0 ? "," : "",
			summary_rank(run, i)->rank);
}

/* Other ranks on one side than on the other: which are not compared, or with which. */
static void note_ranks(const struct command_context *context, const struct comparison *comparison,
	const struct summary *base, const struct summary *next)
{
	char was[256], is[256], size[2][24];
	(void)snprintf(size[0], sizeof(size[0]), "%" PRIu64, base->world_size);
	(void)snprintf(size[1], sizeof(size[1]), "%" PRIu64, next->world_size);
	note_difference(context, "world size", size[0], size[1]);
	name_ranks(base, was, sizeof(was));
	name_ranks(next, is, sizeof(is));
	if (strcmp(was, is) == 0)
		return;
	if (comparison->base->rank == comparison->next->rank)
		command_note(context,
			"compare: base has %s, new has %s: what is on both sides is compared", was,
			is);
	else
		command_note(context,
			"compare: base has %s, new has %s: none is on both sides, so the first of "
			"each are compared",
			was, is);
}

static int print_page(const struct command_context *context, const struct comparison *comparison)
{
	struct out json;
	int err = out_open_memory(&json);
	if (err == 0) {
		show_json(&json, comparison);
		err = page_print_sides(context->out, &json, PROGRAM_VERSION);
		(void)out_close(&json);
	}
	return err == 0 ? EXIT_CODE_FINE
			: command_fail(EXIT_CODE_SYSTEM, NULL, "compare: %s", err_text(err));
}

static int print(const struct command_context *context, const struct comparison *comparison)
{
	const char *format = options_text(context->options, OPTION_FORMAT);
	if (strcmp(format, "html") == 0)
		return print_page(context, comparison);
	if (strcmp(format, "json") == 0)
		show_json(context->out, comparison);
	else if (strcmp(format, "markdown") == 0)
		show_markdown(context->out, comparison);
	else
		show_text(context->out, &context->term, comparison);
	return EXIT_CODE_FINE;
}

int cmd_compare(struct command_context *context)
{
	taken_runs base = {0}, next = {0};
	struct comparison comparison = {0};
	int code = take_sides(context, &base, &next);
	if (code == EXIT_CODE_FINE &&
		comparison_make(&comparison, base.items, base.count, next.items, next.count) < 0)
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "compare: %s", err_text(-ENOMEM));
	if (code == EXIT_CODE_FINE) {
		const char *torch = "torch";
		note_difference(context, "program", base.items[0].program, next.items[0].program);
		note_difference(
			context, "framework", base.items[0].framework, next.items[0].framework);
		note_difference(context, "version of torch", summary_version(base.items, torch),
			summary_version(next.items, torch));
		note_ranks(context, &comparison, base.items, next.items);
		code = print(context, &comparison);
	}
	comparison_release(&comparison);
	taking_release(&base);
	taking_release(&next);
	return code;
}
