/* SPDX-License-Identifier: MIT */
#include "analyzer/page/page.h"

#include <errno.h>

#include "analyzer/page/assets.h"
#include "analyzer/page/block.h"
#include "analyzer/page/choose.h"
#include "analyzer/page/line.h"
#include "analyzer/ranks/identity.h"
#include "analyzer/text/json.h"
#include "collector/base/err.h"

/* Tables that have no sheet: steps, processes and work of operators are shown in other ways. */
#define NO_SHEET                                                                                   \
	(1u << TABLES_STEP_TRACE | 1u << TABLES_PROCESSES | 1u << TABLES_OPERATOR_KERNELS |        \
		1u << TABLES_OVERVIEW | 1u << TABLES_PERF_SUMMARY)

struct page {
	struct out *out;
	const struct page_input *input;
	chosen_steps chosen;
	VEC(struct line_window) windows;
	struct line_options line;
	uint64_t events; /* of all processes */
};

static void add_chosen(struct json *json, const struct page *page)
{
	json_add_bool(json, "whole", page->line.whole);
	json_add_array(json, "chosen");
	for (size_t i = 0; i < page->chosen.count; i++) {
		const struct chosen_step *step = &page->chosen.items[i];
		json_object(json);
		json_add_u64(json, "step", step->number);
		json_add_text(json, "why", step->why);
		json_object_end(json);
	}
	json_array_end(json);
}

/* What the page needs beside the report. */
static void print_extra(struct out *out, const struct page *page)
{
	const struct report *report = page->input->report;
	const struct history *history = page->input->run->traced->history;
	struct json json;
	json_init(&json, out, false);
	json.dense = true;
	json_object(&json);
	json_add_text(&json, "version", page->input->version);
	block_add_causes(&json, report->model->alone);
	json_add_u64(&json, "first_steady", report->steps.first);
	json_add_u64(&json, "until_steady", report->steps.until);
	json_add_u64(&json, "steps_left_out", history != NULL ? history->left_out : 0);
	json_add_u64(&json, "joined_ns", history != NULL ? history->tick_ns : 0);
	json_add_u64(&json, "events", page->events);
	add_chosen(&json, page);
	json_object_end(&json);
	json_finish(&json);
}

/* What of a long run is shown whole. 0 or -ENOMEM. */
static int choose_detail(struct page *page)
{
	const struct page_input *input = page->input;
	const struct process *traced = input->run->traced;
	const struct choose_options options = {.first = input->report->steps.first,
		.until = input->report->steps.until,
		.named = input->step_named,
		.context = input->context};
	for (size_t i = 0; i < input->run->count; i++)
		page->events += input->run->processes[i].events;
	page->line = (struct line_options){.begin_ns = input->begin_ns,
		.end_ns = traced->model->last_ns,
		.whole = page->events <= LINE_WHOLE && input->step_named == NULL,
		.threads = traced->threads,
		.names = input->names};
	if (page->line.whole || traced->history == NULL)
		return 0;
	int err = choose_steps(traced->history, &options, &page->chosen);
	VEC_FOREACH (step, &page->chosen) {
		struct line_window window = {step->begin_ns, step->end_ns};
		err = err < 0 ? err : vec_push(&page->windows, window);
	}
	page->line.windows = page->windows.items;
	page->line.window_count = page->windows.count;
	return err;
}

/* Ranks are known once the description was read; without one only where all are wanted. */
static bool is_wanted(const struct page_input *input, const struct reader *reader)
{
	const struct meta_RUN *run = reader_run(reader);
	if (run == NULL || run->rank < 0)
		return true;
	return input->rank_wanted(input->context, (uint64_t)run->rank);
}

static int take_file(struct page *page, struct line *line, const char *path)
{
	const struct page_input *input = page->input;
	const struct meta_RUN *analysed = reader_run(input->run->traced->reader), *run;
	struct reader *reader;
	struct item item = {.type = ITEM_META};
	struct err_at at;
	int err = reader_open(path, &reader, &at);
	if (err < 0)
		return err_is_refusal(err) ? err : 0;
	if (input->root != NULL)
		(void)reader_set_root(reader, input->root); /* worked for the report */
	reader_set_window(reader, input->from_ns, input->to_ns);
	line_begin_file(line, reader);
	while (page->out->error == 0 && (err = reader_next(reader, &item, &at)) == 0 &&
		item.type != ITEM_END && is_wanted(input, reader))
		line_item(line, &item);
	run = reader_run(reader);
	line_end_file(line, run != NULL && identity_own(run) == identity_own(analysed));
	reader_close(reader);
	return err_is_refusal(err) ? err : 0;
}

/* Tables are packed with the time line: they are large, and few look at all of them. */
static int put_tables(struct page *page, struct line *line)
{
	struct out text;
	struct json json;
	int err = out_open_memory(&text);
	if (err < 0)
		return err;
	json_init(&json, &text, false);
	json.dense = true;
	json_object(&json);
	json_add_object(&json, "tables");
	output_tables_json(&json, page->input->run->tables, NO_SHEET);
	json_object_end(&json);
	json_object_end(&json);
	json_finish(&json);
	err = text.error;
	line_text(line, text.buffer, text.used);
	(void)out_close(&text);
	return err;
}

static int put_line(struct page *page)
{
	const struct history *history = page->input->run->traced->history;
	struct line *line = line_new(page->out, &page->line);
	int err = 0;
	if (line == NULL)
		return -ENOMEM;
	out_text(page->out, "<script type=\"text/plain\" id=\"line\">");
	if (history != NULL)
		line_history(line, history);
	for (size_t i = 0; i < page->input->path_count && err == 0; i++)
		err = take_file(page, line, page->input->paths[i]);
	if (err == 0)
		err = put_tables(page, line);
	line_finish(line);
	out_text(page->out, "</script>\n");
	line_free(line);
	return err;
}

int page_print(struct out *out, const struct page_input *input)
{
	struct page page = {.out = out, .input = input};
	struct output_run plain = *input->run;
	struct out scratch;
	int err = choose_detail(&page);
	if (err == 0)
		err = out_open_memory(&scratch);
	if (err < 0)
		goto out;
	out_bytes(out, page_before, (size_t)(page_before_end - page_before));
	plain.tables = NULL;
	output_json.print(&scratch, NULL, &plain, input->report);
	block_put(out, "report", &scratch);
	print_extra(&scratch, &page);
	block_put(out, "extra", &scratch);
	err = scratch.error;
	(void)out_close(&scratch);
	if (err == 0)
		err = put_line(&page);
	out_bytes(out, page_after, (size_t)(page_after_end - page_after));
out:
	vec_release(&page.chosen);
	vec_release(&page.windows);
	return err;
}
