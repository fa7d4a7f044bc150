/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/visit.h"

static uint64_t add_saturated(uint64_t left, uint64_t right)
{
	uint64_t sum;
	return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

int visit_open(struct visit *visit, const struct command_context *context)
{
	const struct options *options = context->options;
	*visit = (struct visit){.context = context, .to_ns = UINT64_MAX};
	int code = command_open_run(context, &visit->run);
	if (code != EXIT_CODE_FINE)
		return code;
	int err = 0;
	visit->begin_ns = run_begin_ns(&visit->run, &err);
	if (err < 0) {
		visit_close(visit);
		return command_fail(EXIT_CODE_SYSTEM, NULL, "%s", err_text(err));
	}
	if (options_given(options, OPTION_FROM))
		visit->from_ns =
			add_saturated(visit->begin_ns, options->values[OPTION_FROM].number);
	if (options_given(options, OPTION_TO))
		visit->to_ns = add_saturated(visit->begin_ns, options->values[OPTION_TO].number);
	if (visit->from_ns <= visit->to_ns)
		return EXIT_CODE_FINE;
	visit_close(visit);
	return command_fail(EXIT_CODE_USAGE, NULL, "--from: later than --to");
}

void visit_close(struct visit *visit)
{
	run_release(&visit->run);
}

/* False: the process has another rank than those asked for, or we do not know yet. */
static bool is_wanted(const struct visit *visit, const struct reader *reader)
{
	const struct options *options = visit->context->options;
	const struct meta_RUN *run = reader_run(reader);
	if (!options_given(options, OPTION_RANKS))
		return true;
	return run != NULL && run->rank >= 0 &&
	       options_contain(options, OPTION_RANKS, (uint64_t)run->rank);
}

static int visit_file(struct visit *visit, const struct visitor *visitor, const char *path)
{
	struct reader *reader;
	struct err_at at = {0};
	struct item item = {.type = ITEM_META};
	struct term_progress progress;
	int err = reader_open(path, &reader, &at);
	if (err < 0)
		return command_fail_input(path, err, &at);
	if (options_given(visit->context->options, OPTION_ROOT))
		err = reader_set_root(reader, options_text(visit->context->options, OPTION_ROOT));
	reader_set_window(reader, visit->from_ns, visit->to_ns);
	term_progress_begin(&progress, path, visit->context->quiet);
	if (visitor->begin != NULL)
		visitor->begin(visitor->data, reader);
	/* a full disk ends the reading: main() reports it */
	while (err == 0 && visit->context->out->error == 0 &&
		(err = reader_next(reader, &item, &at)) == 0 && item.type != ITEM_END) {
		term_progress_update(&progress, reader_position(reader), reader_size(reader));
		if (is_wanted(visit, reader) && visitor->item != NULL)
			visitor->item(visitor->data, reader, &item);
		else if (reader_run(reader) != NULL)
			break; /* another rank: the rest of the file is not wanted either */
	}
	term_progress_end(&progress);
	if (visitor->end != NULL)
		visitor->end(visitor->data, reader);
	int code = EXIT_CODE_FINE;
	if (err < 0)
		code = command_fail_input(path, err, &at);
	else if (item.type == ITEM_END)
		command_note_health(path, reader_health(reader));
	reader_close(reader);
	return code;
}

int visit_all(struct visit *visit, const struct visitor *visitor)
{
	int worst = EXIT_CODE_FINE;
	for (size_t i = 0; i < visit->run.paths.count; i++) {
		int code = visit_file(visit, visitor, visit->run.paths.items[i]);
		if (code != EXIT_CODE_FINE)
			worst = code;
	}
	return worst;
}
