/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cli/command.h"
#include "analyzer/cli/judging.h"
#include "analyzer/output/output.h"
#include "analyzer/report/report.h"
#include "analyzer/run/workers.h"
#include "analyzer/text/demangle.h"

#define ALIKE_PART 100u /* launches that differ by less than this part are as many */

/* What is kept while the files of a run are read one after the other. */
struct session {
	const struct command_context *context;
	struct judging judging;
	struct process_options options;
	struct term_progress progress;
	VEC(struct output_process) processes;
	run_workers workers;
	struct process best; /* launches most so far */
	size_t best_index;
	enum output_choice choice;
	bool have_best, filtered;
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

/* Only what is printed: tables cost time. */
static uint32_t collected_tables(const struct command_context *context)
{
	if (strcmp(options_text(context->options, OPTION_FORMAT), output_json.name) == 0)
		return TABLES_ALL;
	return wanted_tables(context->options);
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
		.tables = collected_tables(session->context),
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

static struct output_process describe(const struct process *process)
{
	const struct meta_RUN *run = reader_run(process->reader);
	const struct model *model = process->model;
	struct output_process about = {.rank = -1,
		.events = model->events,
		.launches = model->kinds[RECORD_LAUNCH] + model->kinds[RECORD_GRAPH],
		.lost = reader_health(process->reader)->lost};
	if (run == NULL)
		return about;
	snprintf(about.program, sizeof(about.program), "%s", run->program);
	snprintf(about.host, sizeof(about.host), "%s", run->host);
	snprintf(about.role, sizeof(about.role), "%s", run->role);
	about.pid = run->pid;
	about.rank = run->rank;
	return about;
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
	bool better = about->launches > best->launches ||
		      (about->launches == best->launches && about->events > best->events);
	if (better || session->choice == OUTPUT_ONLY_ONE)
		session->choice = OUTPUT_LAUNCHES_MOST;
	return better;
}

/* Read one file; keep it if it says more than those before. 0 or -ENOMEM. */
static int take_file(struct session *session, const char *path)
{
	struct process process;
	struct err_at at = {0};
	int err = process_init(&process, path, &session->options, &at);
	if (err < 0) {
		term_progress_end(&session->progress);
		int code = command_fail_input(path, err, &at);
		if (session->exit_code == EXIT_CODE_FINE)
			session->exit_code = code;
		return 0;
	}
	term_progress_end(&session->progress);
	command_note_health(path, reader_health(process.reader));
	struct output_process about = describe(&process);
	bool wanted = about.rank < 0 || options_contain(session->context->options, OPTION_RANKS,
						(uint64_t)about.rank);
	if (!wanted) {
		process_release(&process);
		return 0;
	}
	if (workers_note(&session->workers, &process) < 0 ||
		vec_push(&session->processes, about) < 0) {
		process_release(&process);
		return -ENOMEM;
	}
	size_t index = session->processes.count - 1;
	if (session->have_best && !is_better(session, &about)) {
		process_release(&process);
		return 0;
	}
	process_release(&session->best);
	session->best = process;
	session->best_index = index;
	session->have_best = true;
	return 0;
}

/* Names as --names wants them, for the tables. */
struct shown_names {
	const struct reader *reader;
	struct demangle_cache *cache;
};

static const char *shown_text(const void *context, uint32_t id)
{
	const struct shown_names *names = context;
	return demangle_text(names->cache, names->reader, id);
}

static const struct meta_PLACE *place_of(const void *context, uint32_t id)
{
	const struct shown_names *names = context;
	return reader_place(names->reader, id);
}

static const char *call_of(const void *context, uint16_t id)
{
	const struct shown_names *names = context;
	return reader_call(names->reader, id);
}

/* Why there are no records of the device side, into text; NULL when there are. */
static const char *absence(const struct process *traced, char *text, size_t size)
{
	const char *state = states_value(&traced->sources, "activity");
	if (traced->tables != NULL && tables_measured(traced->tables))
		return NULL;
	snprintf(text, size,
		"the trace has no records of what the device did (source activity: %s)",
		state != NULL ? state : "not recorded");
	return text;
}

static bool is_csv(const struct command_context *context)
{
	return strcmp(options_text(context->options, OPTION_FORMAT), output_csv.name) == 0;
}

/* CSV is one table. */
static int check_tables(const struct command_context *context)
{
	uint32_t wanted = wanted_tables(context->options);
	if (!is_csv(context) || (wanted != 0 && (wanted & (wanted - 1)) == 0))
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

/* Print the report with the tables of its process. */
static void print_all(struct session *session, const struct report *report, struct output_run *run)
{
	static const struct output *const outputs[] = {&output_text, &output_json, &output_csv};
	const struct command_context *context = session->context;
	const struct process *traced = &session->best;
	const struct meta_RUN *about = reader_run(traced->reader);
	struct demangle_cache cache = {
		.how = demangle_from_name(options_text(context->options, OPTION_NAMES))};
	struct shown_names names = {traced->reader, &cache};
	struct lookup lookup = {
		.context = &names, .text = shown_text, .place = place_of, .call = call_of};
	char why[160];
	struct output_tables tables = {.wanted = wanted_tables(context->options),
		.absent = absence(traced, why, sizeof(why)),
		.source = {.tables = traced->tables,
			.lookup = &lookup,
			.gpus = traced->gpus.items,
			.gpu_count = traced->gpus.count,
			.begin_ns = about != NULL ? about->begin_ns : 0}};
	run->tables = &tables;
	const char *format = options_text(context->options, OPTION_FORMAT);
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
		if (strcmp(outputs[i]->name, format) == 0)
			outputs[i]->print(context->out, &context->term, run, report);
	if (is_csv(context) && tables.absent != NULL &&
		tables_infos[__builtin_ctz(tables.wanted)].device)
		command_note(context, "no rows: %s", tables.absent);
	run->tables = NULL;
	demangle_cache_release(&cache);
}

/* The processes that the one of the report has started. */
static struct report_workers workers_of_best(const struct session *session)
{
	const struct meta_RUN *run = reader_run(session->best.reader);
	struct workers_summary found =
		workers_of(&session->workers, run != NULL ? run->pid : UINT64_MAX);
	return (struct report_workers){.count = found.count,
		.processors = run != NULL ? run->processors : 0,
		.busy_least_pct =
			found.busy_least < 0 ? REPORT_UNKNOWN_PCT : 100 * found.busy_least,
		.busy_most_pct = found.busy_most < 0 ? REPORT_UNKNOWN_PCT : 100 * found.busy_most};
}

static int print_report(struct session *session)
{
	const struct command_context *context = session->context;
	struct report *report = malloc(sizeof(*report));
	if (report == NULL)
		return command_fail(EXIT_CODE_SYSTEM, NULL, "report: %s", err_text(-ENOMEM));
	const struct process *traced = &session->best;
	const struct model *model = traced->model;
	struct report_input input = {.model = model,
		.thresholds = &session->judging.thresholds,
		.facts = traced->facts,
		.workers = workers_of_best(session),
		.choices = &session->judging.choices,
		.asks = session->judging.asks,
		.ask_count = session->judging.ask_count,
		.reader = *reader_health(traced->reader),
		.complete = !session->filtered,
		.odd = traced->odd,
		.late = traced->late,
		.wall_ns = model->events > 0 ? model->last_ns - model->first_ns : 0};
	report_build(report, &input);
	struct output_run run = {.processes = session->processes.items,
		.count = session->processes.count,
		.main = session->best_index,
		.choice = session->choice,
		.traced = traced};
	print_all(session, report, &run);
	bool enough = report->verdict.class != VERDICT_INSUFFICIENT || is_csv(context);
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
	prepare(&session);
	term_progress_begin(&session.progress, "reading", context->quiet);
	int err = 0;
	for (size_t i = 0; i < run.paths.count && err == 0; i++)
		err = take_file(&session, run.paths.items[i]);
	term_progress_end(&session.progress);
	if (err < 0)
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "report: %s", err_text(err));
	else if (session.have_best)
		code = print_report(&session);
	else if (session.exit_code == EXIT_CODE_FINE)
		code = command_fail(
			EXIT_CODE_TRACE, NULL, "--ranks: no process has one of these ranks");
	if (code == EXIT_CODE_FINE || code == EXIT_CODE_TRACE)
		code = session.exit_code != EXIT_CODE_FINE ? session.exit_code : code;
	process_release(&session.best);
	vec_release(&session.processes);
	vec_release(&session.workers);
	run_release(&run);
	return code;
}
