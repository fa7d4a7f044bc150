/* SPDX-License-Identifier: MIT */
#include "analyzer/output/chrome.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/output/chrome_body.h"
#include "analyzer/output/chrome_flow.h"
#include "analyzer/output/chrome_rows.h"
#include "analyzer/text/field_text.h"
#include "collector/base/vec.h"
#include "collector/format/fields.h"

#define PID_WITHOUT   2000000000u
#define NUMBERS_BYTES 256u

#define AHEAD       6u
#define AHEAD_SLOTS 8u /* power of two above AHEAD */

struct chrome {
	struct out *out;
	uint64_t begin_ns;
	uint64_t events;
	struct chrome_body *body;
	/* the file in work */
	const struct reader *reader;
	uint64_t file_count;
	uint64_t pid;
	bool has_pid;
	struct chrome_rows rows;
	struct chrome_flow flow;
	VEC(uint64_t) pids; /* of all files */
};

struct chrome *chrome_new(struct out *out, uint64_t begin_ns, enum demangle_how how)
{
	struct chrome *chrome = calloc(1, sizeof(*chrome));
	if (chrome == NULL)
		return NULL;
	chrome->out = out;
	chrome->begin_ns = begin_ns;
	chrome->body = chrome_body_new(how);
	if (chrome->body == NULL) {
		chrome_free(chrome);
		return NULL;
	}
	out_text(out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"made by\":\"trace-analyzer\"},\n"
		"\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":\"trace\",\"args\":{}}");
	return chrome;
}

void chrome_free(struct chrome *chrome)
{
	if (chrome == NULL)
		return;
	chrome_body_free(chrome->body);
	vec_release(&chrome->pids);
	chrome_rows_release(&chrome->rows);
	free(chrome);
}

/* Two processes of a run may have the same number, on different hosts or one after the other. */
static uint64_t unique_pid(struct chrome *chrome, uint64_t pid)
{
	for (size_t i = 0; i < chrome->pids.count; i++)
		if (chrome->pids.items[i] == pid)
			pid = PID_WITHOUT + chrome->file_count;
	/* without memory a later process may get the same rows */
	(void)vec_push(&chrome->pids, pid);
	return pid;
}

static void put_metadata(struct chrome *chrome, const char *what, uint64_t tid, const char *text)
{
	struct out *out = chrome->out;
	out_format(out,
		",\n{\"ph\":\"M\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
		",\"name\":\"%s\",\"args\":{\"name\":",
		chrome->pid, tid, what);
	json_quote(out, text);
	out_text(out, "}}");
}

static void put_sort_index(struct chrome *chrome, const char *what, uint64_t tid, uint64_t index)
{
	out_format(chrome->out,
		",\n{\"ph\":\"M\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
		",\"name\":\"%s\",\"args\":{\"sort_index\":%" PRIu64 "}}",
		chrome->pid, tid, what, index);
}

/* Fix the number of the file's process, from its description where there is one. */
static void know_process(struct chrome *chrome)
{
	const struct meta_RUN *run = reader_run(chrome->reader);
	char text[512];
	if (chrome->has_pid)
		return;
	chrome->has_pid = true;
	chrome->pid = unique_pid(chrome, run != NULL ? run->pid : PID_WITHOUT + chrome->file_count);
	if (run == NULL)
		return;
	if (run->rank >= 0)
		snprintf(text, sizeof(text), "rank %" PRId64 ": %.200s (%.200s)", run->rank,
			run->program, run->host);
	else
		snprintf(text, sizeof(text), "%.200s (%.200s)", run->program, run->host);
	put_metadata(chrome, "process_name", 0, text);
	put_sort_index(chrome, "process_sort_index", 0,
		run->rank >= 0 ? (uint64_t)run->rank : chrome->file_count);
}

void chrome_begin_file(struct chrome *chrome, struct reader *reader)
{
	chrome->reader = reader;
	chrome_body_begin_file(chrome->body, reader);
	if (chrome->file_count++ > 0)
		chrome_flow_next_file(&chrome->flow);
	chrome->has_pid = false;
}

void chrome_end_file(struct chrome *chrome)
{
	chrome_body_end_file(chrome->body);
	chrome_rows_release(&chrome->rows);
	chrome->reader = NULL;
}

void chrome_finish(struct chrome *chrome)
{
	out_text(chrome->out, "\n]}\n");
}

uint64_t chrome_events(const struct chrome *chrome)
{
	return chrome->events;
}

/* Microseconds with three decimals. */
static char *put_us(char *cursor, uint64_t ns)
{
	unsigned rest = (unsigned)(ns % 1000);
	cursor = out_put_u64(cursor, ns / 1000);
	cursor[0] = '.';
	cursor[1] = (char)('0' + rest / 100);
	cursor[2] = (char)('0' + rest / 10 % 10);
	cursor[3] = (char)('0' + rest % 10);
	return cursor + 4;
}

static char *put_since_begin(const struct chrome *chrome, char *cursor, uint64_t ns)
{
	if (ns >= chrome->begin_ns)
		return put_us(cursor, ns - chrome->begin_ns);
	*cursor = '-';
	return put_us(cursor + 1, chrome->begin_ns - ns);
}

/* An event of one instant up to the value of its argument; phase is its text in JSON. */
static void put_instant(struct chrome *chrome, const char *phase, uint64_t ns, const char *name,
	const char *argument)
{
	out_text(chrome->out, ",\n{\"ph\":");
	out_text(chrome->out, phase);
	char *cursor = out_room(chrome->out, NUMBERS_BYTES);
	cursor = OUT_PUT(cursor, ",\"pid\":");
	cursor = out_put_u64(cursor, chrome->pid);
	cursor = OUT_PUT(cursor, ",\"ts\":");
	cursor = put_since_begin(chrome, cursor, ns);
	cursor = OUT_PUT(cursor, ",\"name\":");
	out_advance(chrome->out, cursor);
	json_quote(chrome->out, name);
	out_text(chrome->out, ",\"args\":{\"");
	out_text(chrome->out, argument);
	out_text(chrome->out, "\":");
}

static void put_sample(struct chrome *chrome, const struct record *record)
{
	const char *metric =
		field_value_name(RECORD_SAMPLE, "metric", record_SAMPLE_metric(record));
	put_instant(chrome, "\"C\"", record->begin, metric != NULL ? metric : "sample", "value");
	out_u64(chrome->out, record_SAMPLE_value(record));
	out_text(chrome->out, "}}");
}

static void put_thread_sample(struct chrome *chrome, const struct record *record)
{
	const char *metric = field_value_name(
		RECORD_THREAD_SAMPLE, "metric", record_THREAD_SAMPLE_metric(record));
	char name[64];
	snprintf(name, sizeof(name), "%s of thread %" PRIu32, metric != NULL ? metric : "sample",
		record_THREAD_SAMPLE_thread(record));
	put_instant(chrome, "\"C\"", record->begin, name, "value");
	out_u64(chrome->out, record_THREAD_SAMPLE_value(record));
	out_text(chrome->out, "}}");
}

/* The row of a stream or an interface; named when it is new. */
static uint64_t row_number(struct chrome *chrome, const struct chrome_row *row)
{
	static const char *const labels[] = {
		[CHROME_ROW_STREAM] = "device %" PRIu32 " stream 0x%" PRIx64,
		[CHROME_ROW_API] = "calls seen by the device side",
		[CHROME_ROW_OVERHEAD] = "overhead of recording",
	};
	bool is_new;
	uint64_t number = chrome_rows_number(&chrome->rows, row, &is_new);
	if (is_new) {
		char text[96];
		if (row->class == CHROME_ROW_STREAM)
			snprintf(text, sizeof(text), labels[CHROME_ROW_STREAM], row->device,
				row->id);
		else
			snprintf(text, sizeof(text), "%s, thread %" PRIu64, labels[row->class],
				row->id);
		put_metadata(chrome, "thread_name", number, text);
		put_sort_index(chrome, "thread_sort_index", number, chrome_row_order(row));
	}
	return number;
}

static void put_event(struct chrome *chrome, uint64_t tid, const struct record *record,
	const struct chrome_prepared *prepared)
{
	struct chrome_row row;
	bool on_device = chrome_row_of(record, &row);
	if (on_device)
		tid = row_number(chrome, &row);
	char *cursor = out_room(chrome->out, NUMBERS_BYTES);
	cursor = OUT_PUT(cursor, ",\n{\"ph\":\"X\",\"pid\":");
	cursor = out_put_u64(cursor, chrome->pid);
	cursor = OUT_PUT(cursor, ",\"tid\":");
	cursor = out_put_u64(cursor, tid);
	cursor = OUT_PUT(cursor, ",\"ts\":");
	cursor = put_since_begin(chrome, cursor, record->begin);
	cursor = OUT_PUT(cursor, ",\"dur\":");
	cursor = put_us(cursor, record->end > record->begin ? record->end - record->begin : 0);
	out_advance(chrome->out, cursor);
	chrome_body_put(chrome->body, chrome->out, record, prepared, on_device);
	struct chrome_arrow arrow;
	if (on_device && chrome_flow_of(&chrome->flow, record, &arrow))
		chrome_flow_put(chrome->out, &arrow, chrome->pid, tid, chrome->begin_ns);
}

static void put_lost(struct chrome *chrome, const struct meta_LOST *lost)
{
	char text[128];
	snprintf(text, sizeof(text), "%" PRIu64 " events lost", lost->count);
	put_instant(chrome, "\"i\",\"s\":\"p\",\"tid\":0", lost->first_ns, text, "cause");
	json_quote(chrome->out, lost->cause);
	out_text(chrome->out, "}}");
}

void chrome_item(struct chrome *chrome, const struct item *item)
{
	know_process(chrome);
	if (item->type == ITEM_META) {
		const struct meta_THREAD *thread = &item->meta.u.thread;
		if (item->meta.kind == META_THREAD && thread->name[0] != '\0')
			put_metadata(chrome, "thread_name", thread->tid, thread->name);
		if (item->meta.kind == META_LOST)
			put_lost(chrome, &item->meta.u.lost);
		return;
	}
	const struct meta_THREAD *thread = reader_thread(chrome->reader, item->thread);
	uint64_t tid = thread != NULL ? thread->tid : item->thread;
	struct chrome_prepared prepared[AHEAD_SLOTS];
	for (unsigned i = 0; i < item->count + AHEAD; i++) {
		if (i < item->count)
			chrome_body_prepare(
				chrome->body, &item->records[i], &prepared[i % AHEAD_SLOTS]);
		if (i < AHEAD)
			continue;
		const struct record *record = &item->records[i - AHEAD];
		if (record->kind == RECORD_SAMPLE)
			put_sample(chrome, record);
		else if (record->kind == RECORD_THREAD_SAMPLE)
			put_thread_sample(chrome, record);
		else
			put_event(chrome, tid, record, &prepared[(i - AHEAD) % AHEAD_SLOTS]);
	}
	chrome->events += item->count;
}
