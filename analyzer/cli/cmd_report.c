/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cli/command.h"
#include "analyzer/cli/judging.h"
#include "analyzer/output/ranks.h"
#include "analyzer/output/shown.h"
#include "analyzer/page/page.h"
#include "analyzer/ranks/identity.h"
#include "analyzer/report/report.h"
#include "analyzer/run/abreast.h"
#include "analyzer/run/input.h"

#define ALIKE_PART 100u /* launches that differ by less than this part are as many */

/* A process of the run, also of a rank that was not asked for. */
struct told {
	uint64_t identity;
	const char *path;
};

/* What is kept while the files of a run are read one after the other. */
struct session {
	const struct command_context *context;
	const struct run *run;
	struct judging judging;
	struct process_options options;
	struct abreast *files;
	struct term_progress progress;
	VEC(struct output_process) processes;
	VEC(struct told) told;
	struct run_input input;
	struct output_ranks others;
	struct process best;       /* launches most so far */
	size_t best_index, unread; /* files */
	enum output_choice choice;
	bool filtered;
	int exit_code; /* of the first file that could not be read */
};

static bool step_selected(const void *context, uint64_t step)
{
	const struct command_context *command = context;
	return options_contain(command->options, OPTION_STEPS, step);
}

static void show_progress(void *context, const struct process *process)
{
	struct session *session = context;
	term_progress_update(
		&session->progress, reader_position(process->reader), reader_size(process->reader));
}

static uint32_t wanted_tables(const struct options *options)
{
	uint32_t wanted = 0;
	for (unsigned id = 0; id < TABLES_COUNT; id++)
		if (options_has_word(options, OPTION_TABLES, tables_infos[id].name))
			wanted |= 1u << id;
	return wanted;
}

static bool is_format(const struct command_context *context, const char *name)
{
	return strcmp(options_text(context->options, OPTION_FORMAT), name) == 0;
}

/* Only what is printed: tables and the steps one by one cost time. */
static bool wants_all(const struct command_context *context)
{
	return (is_format(context, output_json.name) && !context->bare) ||
	       is_format(context, PAGE_FORMAT);
}

static void prepare(struct session *session)
{
	const struct options *options = session->context->options;
	const double *limits = session->judging.thresholds.values;
	session->filtered =
		options_given(options, OPTION_FROM) || options_given(options, OPTION_TO);
	session->options = (struct process_options){
		.model = {.join_ns = (uint64_t)(limits[THRESHOLD_PAUSE] * 1000),
			.blocked_ns = (uint64_t)(limits[THRESHOLD_BLOCKED] * 1000),
			.matched_pct = limits[THRESHOLD_MATCHED]},
		.from_ns = options->values[OPTION_FROM].number,
		.to_ns = options_given(options, OPTION_TO) ? options->values[OPTION_TO].number
							   : UINT64_MAX,
		.tables = wants_all(session->context) ? TABLES_ALL : wanted_tables(options),
		.history = wants_all(session->context),
		.pieces = is_format(session->context, PAGE_FORMAT),
		.counts = is_format(session->context, output_json.name),
		.ranks = session->run->paths.count > 1,
		.root = options_text(options, OPTION_ROOT),
		.progress = show_progress,
		.progress_context = session,
	};
	if (options_given(options, OPTION_STEP_RANGE)) {
		session->options.model.asked = STEP_BY_RANGE;
		session->options.model.asked_name = options_text(options, OPTION_STEP_RANGE);
	} else if (options_given(options, OPTION_STEP_MARKER)) {
		session->options.model.asked = STEP_BY_MARKER;
		session->options.model.asked_name = options_text(options, OPTION_STEP_MARKER);
	}
	if (options_given(options, OPTION_STEPS)) {
		session->options.model.selected = step_selected;
		session->options.model.context = session->context;
	}
}

/* Ranks of one job launch about as much: the lowest of them, so that it is always the same one. */
static bool is_better(struct session *session, const struct output_process *about)
{
	const struct output_process *best = &session->processes.items[session->best_index];
	uint64_t most = about->launches > best->launches ? about->launches : best->launches;
	uint64_t least = about->launches + best->launches - most;
	if (about->rank >= 0 && best->rank >= 0 && about->rank != best->rank &&
		most - least <= most / ALIKE_PART) {
		session->choice = OUTPUT_LOWEST_RANK;
		return about->rank < best->rank;
	}
	bool better = about->events > best->events;
	if (about->launches != best->launches)
		better = about->launches > best->launches;
	else if (most == 0 && about->steps != best->steps)
		better = about->steps > best->steps;
	if (better || session->choice == OUTPUT_ONLY_ONE)
		session->choice = most > 0 ? OUTPUT_LAUNCHES_MOST : OUTPUT_STEPS_MOST;
	return better;
}

/* What JSON says of a rank that the report is not about, as its own file tells it. 0 or -ENOMEM. */
static int keep_rank(struct session *session, const struct process *process, size_t index)
{
	const struct output_process *about = &session->processes.items[index];
	const char *how = options_text(session->context->options, OPTION_NAMES);
	if (!is_format(session->context, output_json.name) || about->rank < 0 ||
		about->rank == session->processes.items[session->best_index].rank ||
		!output_ranks_trains(&session->others, about))
		return 0;
	struct report *report = malloc(sizeof(*report));
	if (report == NULL)
		return -ENOMEM;
	struct shown shown;
	judging_report(&session->judging, process, (struct report_workers){0}, NULL,
		!session->filtered, report);
	shown_begin(&shown, process, demangle_from_name(how));
	const struct output_run run = {.traced = process,
		.sources = reader_sources(process->reader),
		.lookup = &shown.lookup};
	int err = output_ranks_keep(&session->others, about, &run, report);
	shown_release(&shown);
	free(report);
	return err;
}

/* The report is about the newest process, as far as is known. 0 or -ENOMEM. */
static int take_best(struct session *session, struct process *process)
{
	struct process last = session->best;
	size_t last_index = session->best_index;
	session->best = *process;
	session->best_index = session->processes.count - 1;
	int err = last.model != NULL ? keep_rank(session, &last, last_index) : 0;
	process_release(&last);
	return err;
}

/* Read one file; keep it if it says more than those before. 0 or -ENOMEM. */
static int take_file(struct session *session, const char *path)
{
	struct process process;
	struct err_at at = {0};
	int err = abreast_next(session->files, &process, &at);
	term_progress_end(&session->progress);
	if (err < 0) {
		int code = command_fail_input(path, err, &at);
		if (session->exit_code == EXIT_CODE_FINE)
			session->exit_code = code;
		session->unread++;
		return 0;
	}
	command_note_health(path, reader_health(process.reader));
	struct output_process about = output_process_of(&process);
	const struct told told = {identity_own(reader_run(process.reader)), path};
	if (vec_push(&session->told, told) < 0) {
		process_release(&process);
		return -ENOMEM;
	}
	if (about.rank >= 0 &&
		!options_contain(session->context->options, OPTION_RANKS, (uint64_t)about.rank)) {
		err = meets_note(&session->input.meets, process.reader, process.collectives);
		process_release(&process);
		return err;
	}
	if (input_note(&session->input, &process) < 0 || vec_push(&session->processes, about) < 0) {
		process_release(&process);
		return -ENOMEM;
	}
	if (session->best.model == NULL || is_better(session, &about))
		return take_best(session, &process);
	err = keep_rank(session, &process, session->processes.count - 1);
	process_release(&process);
	return err;
}

/* CSV is one table, and what rows are sorted by is there. */
static int check_tables(const struct command_context *context)
{
	const char *sort = options_text(context->options, OPTION_SORT);
	uint32_t wanted = wanted_tables(context->options);
	if (sort != NULL && !tables_have_column(wants_all(context) ? TABLES_ALL : wanted,
				    sort + (sort[0] == '+')))
		return command_fail(EXIT_CODE_USAGE, "the README's section Tables has the columns",
			"--sort: no table that is printed has a column '%s'", sort);
	if (!is_format(context, output_csv.name) || (wanted != 0 && (wanted & (wanted - 1)) == 0))
		return EXIT_CODE_FINE;
	return command_fail(EXIT_CODE_USAGE, "name one: --tables=kernels",
		"--format csv: CSV holds exactly one table");
}

/* Steps end in one way. */
static int check_step_names(const struct command_context *context)
{
	if (!options_given(context->options, OPTION_STEP_RANGE) ||
		!options_given(context->options, OPTION_STEP_MARKER))
		return EXIT_CODE_FINE;
	return command_fail(EXIT_CODE_USAGE, "give one of them",
		"--step-range and --step-marker: a step ends in one way");
}

static bool rank_wanted(const void *context, uint64_t rank)
{
	const struct command_context *command = context;
	return options_contain(command->options, OPTION_RANKS, rank);
}

static bool detail_wanted(const void *context, uint64_t step)
{
	const struct command_context *command = context;
	return options_contain(command->options, OPTION_DETAIL_STEPS, step);
}

static void print_page(
	const struct session *session, const struct output_run *run, const struct report *report)
{
	const struct command_context *context = session->context;
	const struct process_options *options = &session->options;
	bool named = options_given(context->options, OPTION_DETAIL_STEPS);
	int err = 0;
	uint64_t begin_ns = run_begin_ns(session->run, &err);
	const struct page_input input = {.run = run,
		.report = report,
		.version = PROGRAM_VERSION,
		.paths = (const char *const *)session->run->paths.items,
		.path_count = session->run->paths.count,
		.begin_ns = begin_ns,
		.from_ns = options->from_ns > 0 ? begin_ns + options->from_ns : 0,
		.to_ns = options->to_ns < UINT64_MAX - begin_ns ? begin_ns + options->to_ns
								: UINT64_MAX,
		.rank_wanted = rank_wanted,
		.step_named = named ? detail_wanted : NULL,
		.context = context,
		.root = options->root,
		.names = demangle_from_name(options_text(context->options, OPTION_NAMES))};
	if (err == 0)
		err = page_print(context->out, &input);
	if (err < 0 && context->out->error == 0)
		context->out->error = err; /* told when the output is closed */
}

/* Print the report with the tables of its process. */
static void print_all(struct session *session, const struct report *report, struct output_run *run)
{
	static const struct output *const outputs[] = {&output_text, &output_json, &output_csv};
	const struct command_context *context = session->context;
	const struct process *traced = &session->best;
	const struct meta_RUN *about = reader_run(traced->reader);
	const char *how = options_text(context->options, OPTION_NAMES);
	struct shown shown;
	shown_begin(&shown, traced, demangle_from_name(how));
	char why[160];
	struct output_tables tables = {.wanted = wanted_tables(context->options),
		.absent = output_tables_absence(traced, why, sizeof(why)),
		.source = {.tables = traced->tables,
			.sort = options_text(context->options, OPTION_SORT),
			.lookup = &shown.lookup,
			.gpus = traced->gpus.items,
			.gpu_count = traced->gpus.count,
			.begin_ns = about != NULL ? about->begin_ns : 0,
			.covered = {traced->model->bare.covered, traced->model->bare.steps},
			.steps = report->steps.count,
			.warmup = report->steps.warmup}};
	struct tables_cell *cells = output_processes_cells(run->processes, run->count);
	tables.source.processes = (struct tables_given){cells, cells != NULL ? run->count : 0};
	int err = input_show(&session->input, about, &tables.source);
	if (cells == NULL)
		err = -ENOMEM;
	if (err < 0 && context->out->error == 0)
		context->out->error = err; /* told when the output is closed */
	run->tables = &tables;
	run->lookup = &shown.lookup;
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
		if (is_format(context, outputs[i]->name))
			outputs[i]->print(context->out, &context->term, run, report);
	if (is_format(context, PAGE_FORMAT))
		print_page(session, run, report);
	if (is_format(context, output_csv.name) && tables.absent != NULL &&
		tables_infos[__builtin_ctz(tables.wanted)].device)
		command_note(context, "no rows: %s", tables.absent);
	run->tables = NULL;
	free(cells);
	run->lookup = NULL;
	shown_release(&shown);
}

/* For whom the process waits, and what that one's own file tells of it. 0 or -ENOMEM. */
static int find_peer(const struct session *session, struct report_peer *ret_peer)
{
	const char *path = NULL;
	*ret_peer = (struct report_peer){.words = ""};
	int err = input_late(&session->input, &session->best, &ret_peer->late);
	for (size_t i = 0; i < session->told.count; i++)
		if (session->told.items[i].identity == ret_peer->late.identity)
			path = session->told.items[i].path;
	if (err == 0 && path != NULL && ret_peer->late.count > 0)
		err = judging_peer(&session->judging, path, &session->options, ret_peer);
	return err;
}

static int print_report(struct session *session)
{
	struct report_peer peer;
	struct report *report = malloc(sizeof(*report));
	if (report == NULL || find_peer(session, &peer) < 0) {
		free(report);
		return command_fail(EXIT_CODE_SYSTEM, NULL, "report: %s", err_text(-ENOMEM));
	}
	const struct process *traced = &session->best;
	judging_report(&session->judging, traced, judging_workers(&session->input.workers, traced),
		&peer, !session->filtered, report);
	struct output_run run = {.processes = session->processes.items,
		.count = session->processes.count,
		.main = session->best_index,
		.choice = session->choice,
		.traced = traced,
		.sources = reader_sources(traced->reader),
		.others = &session->others,
		.unread = session->unread};
	print_all(session, report, &run);
	bool enough = report->verdict.class != VERDICT_INSUFFICIENT ||
		      is_format(session->context, output_csv.name);
	free(report);
	return enough ? EXIT_CODE_FINE : EXIT_CODE_TRACE;
}

int cmd_report(struct command_context *context)
{
	struct session session = {.context = context};
	struct run run;
	int code = judging_take(&session.judging, context);
	if (code == EXIT_CODE_FINE)
		code = check_tables(context);
	if (code == EXIT_CODE_FINE)
		code = check_step_names(context);
	if (code != EXIT_CODE_FINE)
		return code;
	code = command_open_run(context, &run);
	if (code != EXIT_CODE_FINE)
		return code;
	session.run = &run;
	prepare(&session);
	term_progress_begin(&session.progress, "reading", context->quiet);
	session.files = abreast_new(run.paths.items, run.paths.count, &session.options);
	int err = session.files != NULL ? 0 : -ENOMEM;
	for (size_t i = 0; i < run.paths.count && err == 0; i++)
		err = take_file(&session, run.paths.items[i]);
	abreast_free(session.files);
	if (err < 0)
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "report: %s", err_text(err));
	else if (session.best.model != NULL)
		code = print_report(&session);
	else if (session.exit_code == EXIT_CODE_FINE)
		code = command_fail(
			EXIT_CODE_TRACE, NULL, "--ranks: no process has one of these ranks");
	if (code == EXIT_CODE_FINE || code == EXIT_CODE_TRACE)
		code = session.exit_code != EXIT_CODE_FINE ? session.exit_code : code;
	process_release(&session.best);
	vec_release(&session.processes);
	vec_release(&session.told);
	input_release(&session.input);
	output_ranks_release(&session.others);
	run_release(&run);
	return code;
}
