/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "analyzer/cli/judging.h"
#include "analyzer/cli/visit.h"
#include "analyzer/export/collect.h"
#include "analyzer/export/forms/forms.h"
#include "analyzer/export/forms/sqlite_library.h"
#include "analyzer/export/timeline.h"

/* Beyond this the viewers get slow: Perfetto keeps everything in the browser's memory. */
#define VIEWER_LIMIT 1000000u

struct session {
	struct command_context *context;
	struct timeline *timeline;
	struct remarks remarks;
	uint64_t steps; /* of all files */
	int err, code;
};

static bool step_selected(const void *context, uint64_t step)
{
	const struct command_context *command = context;
	return options_contain(command->options, OPTION_STEPS, step);
}

/* The steps and findings of a file. EXIT_CODE_FINE or the code of what was reported. */
static int collect(struct session *session, const char *path)
{
	struct command_context *context = session->context;
	const struct options *options = context->options;
	struct judging judging;
	int code = judging_take(&judging, context);
	if (code != EXIT_CODE_FINE)
		return code;
	const double *limits = judging.thresholds.values;
	struct collect_options wanted = {.thresholds = &judging.thresholds,
		.choices = &judging.choices,
		.selected = options_given(options, OPTION_STEPS) ? step_selected : NULL,
		.context = context,
		.process = {.to_ns = UINT64_MAX,
			.root = options_text(options, OPTION_ROOT),
			.model = {.join_ns = (uint64_t)(limits[THRESHOLD_PAUSE] * 1000),
				.blocked_ns = (uint64_t)(limits[THRESHOLD_BLOCKED] * 1000),
				.matched_pct = limits[THRESHOLD_MATCHED]}}};
	if (options_given(options, OPTION_STEP_RANGE)) {
		wanted.process.model.asked = STEP_BY_RANGE;
		wanted.process.model.asked_name = options_text(options, OPTION_STEP_RANGE);
	} else if (options_given(options, OPTION_STEP_MARKER)) {
		wanted.process.model.asked = STEP_BY_MARKER;
		wanted.process.model.asked_name = options_text(options, OPTION_STEP_MARKER);
	}
	int err = collect_remarks(path, &wanted, &session->remarks);
	return err == 0 ? EXIT_CODE_FINE
			: command_fail(EXIT_CODE_SYSTEM, NULL, "export: %s", err_text(err));
}

static void begin_file(void *data, struct reader *reader)
{
	struct session *session = data;
	int code = EXIT_CODE_FINE;
	if (!options_given(session->context->options, OPTION_PLAIN))
		code = collect(session, reader_path(reader));
	if (code != EXIT_CODE_FINE)
		session->code = code;
	session->steps += session->remarks.steps.count;
	if (reader_size(reader) >= READER_AHEAD_BYTES)
		reader_read_ahead(reader);
	timeline_begin_file(session->timeline, reader, &session->remarks);
}

static void take_item(void *data, struct reader *reader, const struct item *item)
{
	struct session *session = data;
	(void)reader;
	if (session->err == 0)
		session->err = timeline_item(session->timeline, item);
}

static void end_file(void *data, struct reader *reader)
{
	struct session *session = data;
	(void)reader;
	int err = timeline_end_file(session->timeline);
	if (session->err == 0)
		session->err = err;
	remarks_release(&session->remarks);
}

static const struct timeline_writer *writer_of(const char *format)
{
	static const struct timeline_writer *const writers[] = {
		&writer_chrome, &writer_perfetto, &writer_sqlite, &writer_folded};
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		if (strcmp(writers[i]->name, format) == 0)
			return writers[i];
	return NULL;
}

static void note_counts(struct session *session)
{
	const struct timeline_counts *counts = timeline_counts(session->timeline);
	if (counts->events > VIEWER_LIMIT)
		command_note(session->context,
			"export: %" PRIu64 " events; viewers get slow above %u, --steps, --from "
			"and --to cut out a part",
			counts->events, VIEWER_LIMIT);
	if (counts->without > 0)
		command_note(session->context,
			"export: %" PRIu64 " of %" PRIu64
			" operations of the device have no arrow: the call is not in the trace",
			counts->without, counts->without + counts->arrows);
}

static int export_timeline(
	struct command_context *context, struct visit *visit, const struct timeline_writer *writer)
{
	struct session session = {.context = context};
	session.timeline = timeline_new(writer, context->out, visit->begin_ns,
		demangle_from_name(options_text(context->options, OPTION_NAMES)));
	if (session.timeline == NULL)
		return command_fail(EXIT_CODE_SYSTEM, NULL, "export: %s", err_text(-ENOMEM));
	struct visitor visitor = {begin_file, take_item, end_file, &session};
	int code = visit_all(visit, &visitor);
	timeline_finish(session.timeline);
	note_counts(&session);
	timeline_free(session.timeline);
	if (session.err < 0)
		return command_fail(EXIT_CODE_SYSTEM, NULL, "export: %s", err_text(session.err));
	if (code == EXIT_CODE_FINE && options_given(context->options, OPTION_STEPS) &&
		session.steps == 0)
		return command_fail(EXIT_CODE_USAGE, NULL, "--steps: the run has no such steps");
	return session.code != EXIT_CODE_FINE ? session.code : code;
}

/* A database is a file that SQLite writes by itself. */
static int check_database(const struct command_context *context)
{
	if (strcmp(options_text(context->options, OPTION_FORMAT), writer_sqlite.name) != 0)
		return EXIT_CODE_FINE;
	if (context->out->path == NULL || context->out->gzip != NULL)
		return command_fail(EXIT_CODE_USAGE, "for example --output run.db",
			"--format sqlite: needs --output with the name of a file");
	if (sqlite_library() == NULL)
		return command_fail(EXIT_CODE_SYSTEM, "install libsqlite3-0",
			"--format sqlite: libsqlite3.so.0 is not on this machine");
	return EXIT_CODE_FINE;
}

int cmd_export(struct command_context *context)
{
	struct visit visit;
	if (options_given(context->options, OPTION_PLAIN) &&
		options_given(context->options, OPTION_STEPS))
		return command_fail(EXIT_CODE_USAGE, "give one of them",
			"--plain and --steps: without the report nobody knows the steps");
	int code = check_database(context);
	if (code == EXIT_CODE_FINE)
		code = visit_open(&visit, context);
	if (code != EXIT_CODE_FINE)
		return code;
	code = export_timeline(
		context, &visit, writer_of(options_text(context->options, OPTION_FORMAT)));
	visit_close(&visit);
	return code;
}
