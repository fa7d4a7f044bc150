/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/export/forms/forms.h"
#include "analyzer/text/json.h"
#include "collector/format/fields.h"

#define NUMBERS_BYTES 256u
#define ROW_SLOTS     64u /* power of two */

/* A piece of text that is copied whole: what is behind its end is written over. */
struct piece {
	char text[64];
	size_t size;
};

/* Where events of a row are, up to their time. */
struct row_text {
	uint64_t pid, tid;
	struct piece piece;
};

/* Chrome trace JSON: times are microseconds with three decimals, so no nanosecond is lost. */
struct chrome {
	struct out *out;
	uint64_t begin_ns, pid, arrows;
	struct body *body;
	struct piece columns[RECORD_KIND_LIMIT][BODY_COLUMNS]; /* ,"name": of them */
	struct row_text rows[ROW_SLOTS];
};

static void add_place(const struct body_source *source, struct json *json, uint32_t id)
{
	const struct reader *reader = source->names->reader;
	const struct meta_PLACE *place = reader_place(reader, id);
	if (place == NULL)
		return;
	bool user = place->user_file != 0;
	const char *function =
		reader_text(reader, (uint32_t)(user ? place->user_function : place->function));
	const char *file = reader_text(reader, (uint32_t)(user ? place->user_file : place->file));
	uint64_t line = user ? place->user_line : place->line;
	const struct remarks_finding *finding = remarks_at(source->remarks, file, line);
	json_add_text(json, "file", file);
	if (place->line != 0 || user)
		json_add_u64(json, "line", line);
	if (function[0] != '\0')
		json_add_text(json, "function", function);
	if (finding != NULL)
		json_add_text(json, "finding", finding->title);
}

/* ,"name":...,"cat":...,"args":{... of a record without its times and columns. */
static void make_body(const struct body_source *source, struct out *scratch,
	const struct record *record, bool on_device)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	char title[BODY_TITLE_BYTES];
	struct json json;
	out_text(scratch, ",\"name\":");
	json_quote(scratch, body_title(source, record, title));
	out_text(scratch, ",\"cat\":");
	json_quote(scratch, info->name);
	out_text(scratch, ",\"args\":");
	json_init(&json, scratch, false);
	json.dense = true;
	json_object(&json);
	for (unsigned i = 0; i < info->field_count; i++) {
		const struct record_field *field = &info->fields[i];
		uint64_t value = record_get(record, field);
		if (field->where == FIELD_SITE && body_says(record->kind, field, value))
			field_json(&json, source->names, record, field);
	}
	if (!on_device && record->result != 0)
		json_add_i64(&json, "result", record->result);
	if (!on_device && record->place != 0)
		add_place(source, &json, record->place);
}

static void chrome_free(void *writer)
{
	struct chrome *chrome = writer;
	if (chrome != NULL)
		body_free(chrome->body);
	free(chrome);
}

static void name_columns(struct chrome *chrome)
{
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++) {
		const struct record_field *const *columns = body_columns(chrome->body, kind);
		for (unsigned i = 0; columns[i] != NULL; i++) {
			struct piece *piece = &chrome->columns[kind][i];
			piece->size = (size_t)snprintf(
				piece->text, sizeof(piece->text), ",\"%.24s\":", columns[i]->name);
		}
	}
}

static void *chrome_new(struct out *out, uint64_t begin_ns, enum demangle_how how)
{
	struct chrome *chrome = calloc(1, sizeof(*chrome));
	if (chrome == NULL)
		return NULL;
	chrome->out = out;
	chrome->begin_ns = begin_ns;
	chrome->body = body_new(how, make_body, NULL);
	if (chrome->body == NULL) {
		chrome_free(chrome);
		return NULL;
	}
	name_columns(chrome);
	out_text(out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"made by\":\"trace-analyzer\"},\n"
		"\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":\"trace\",\"args\":{}}");
	return chrome;
}

static void chrome_begin_file(void *writer, struct reader *reader, const struct remarks *remarks)
{
	struct chrome *chrome = writer;
	body_begin_file(chrome->body, reader, remarks);
}

static void chrome_end_file(void *writer)
{
	struct chrome *chrome = writer;
	body_end_file(chrome->body);
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

static void chrome_process(void *writer, const struct timeline_process *process)
{
	struct chrome *chrome = writer;
	chrome->pid = process->pid;
	if (process->name[0] != '\0')
		put_metadata(chrome, "process_name", chrome->pid, process->name);
	put_sort_index(chrome, "process_sort_index", chrome->pid, process->order);
}

static void chrome_track(void *writer, const struct timeline_track *track)
{
	struct chrome *chrome = writer;
	if (track->name[0] != '\0')
		put_metadata(chrome, "thread_name", track->tid, track->name);
	put_sort_index(chrome, "thread_sort_index", track->tid, track->order);
}

/* Microseconds with three decimals. */
static char *put_us(char *cursor, uint64_t ns)
{
	cursor = out_put_u64(cursor, ns / 1000);
	*cursor++ = '.';
	return out_put_three(cursor, (uint32_t)(ns % 1000));
}

static char *put_since_begin(const struct chrome *chrome, char *cursor, uint64_t ns)
{
	if (ns >= chrome->begin_ns)
		return put_us(cursor, ns - chrome->begin_ns);
	*cursor = '-';
	return put_us(cursor + 1, chrome->begin_ns - ns);
}

/* At most 64 bytes behind the cursor are written to. */
static inline char *put_piece(char *cursor, const struct piece *piece)
{
	memcpy(cursor, piece->text, sizeof(piece->text));
	return cursor + piece->size;
}

static __attribute__((noinline)) void make_row(
	const struct chrome *chrome, struct row_text *row, uint64_t tid)
{
	struct piece *piece = &row->piece;
	char *cursor = OUT_PUT(piece->text, ",\"pid\":");
	cursor = out_put_u64(cursor, chrome->pid);
	cursor = OUT_PUT(cursor, ",\"tid\":");
	cursor = out_put_u64(cursor, tid);
	cursor = OUT_PUT(cursor, ",\"ts\":");
	piece->size = (size_t)(cursor - piece->text);
	row->pid = chrome->pid;
	row->tid = tid;
}

static char *put_place(struct chrome *chrome, char *cursor, uint64_t tid, uint64_t ns)
{
	struct row_text *row = &chrome->rows[tid & (ROW_SLOTS - 1)];
	if (row->tid != tid || row->pid != chrome->pid || row->piece.size == 0)
		make_row(chrome, row, tid);
	return put_since_begin(chrome, put_piece(cursor, &row->piece), ns);
}

static char *put_arrow_end(
	struct chrome *chrome, char *cursor, const char *phase, uint64_t tid, uint64_t ns)
{
	cursor = OUT_PUT(cursor, ",\n{\"ph\":");
	cursor = out_put_bytes(cursor, phase, strlen(phase));
	cursor = OUT_PUT(cursor, ",\"id\":");
	cursor = out_put_u64(cursor, chrome->arrows);
	cursor = put_place(chrome, cursor, tid, ns);
	return OUT_PUT(cursor, ",\"cat\":\"ac2g\",\"name\":\"ac2g\"}");
}

/* From within the call, no later than the operation began: viewers drop what goes back. */
static void put_arrow(struct chrome *chrome, const struct timeline_slice *slice)
{
	const struct timeline_origin *origin = slice->origin;
	uint64_t begin_ns = slice->record->begin;
	uint64_t from_ns = origin->begin_ns + (origin->end_ns - origin->begin_ns) / 2;
	if (from_ns > begin_ns)
		from_ns = begin_ns;
	chrome->arrows++;
	char *cursor = out_room(chrome->out, 2 * NUMBERS_BYTES);
	cursor = put_arrow_end(chrome, cursor, "\"s\"", origin->track->tid, from_ns);
	cursor = put_arrow_end(chrome, cursor, "\"f\",\"bp\":\"e\"", slice->track->tid, begin_ns);
	out_advance(chrome->out, cursor);
}

/* first: nothing is in the braces yet. */
static char *put_columns(
	const struct chrome *chrome, char *cursor, const struct record *record, bool first)
{
	const struct record_field *const *columns = body_columns(chrome->body, record->kind);
	const struct piece *names = chrome->columns[record->kind];
	for (unsigned i = 0; columns[i] != NULL; i++) {
		const struct record_field *field = columns[i];
		uint64_t value = record_get(record, field);
		bool negative = field->type == FIELD_INT && (int64_t)value < 0;
		cursor = put_piece(cursor, &names[i]);
		if (first && i == 0) { /* no comma */
			memmove(cursor - names[i].size, cursor - names[i].size + 1, names[i].size);
			cursor--;
		}
		if (negative)
			*cursor++ = '-';
		cursor = out_put_u64(cursor, negative ? 0 - value : value);
	}
	bool moves = record->kind == RECORD_DEVICE_COPY || record->kind == RECORD_DEVICE_SET;
	uint64_t bytes = moves ? record_bytes(record) : 0;
	if (moves && bytes < UINT64_MAX / 1000 && record->end > record->begin) {
		cursor = OUT_PUT(cursor, ",\"bandwidth_gb_s\":");
		cursor = out_put_decimal(cursor, bytes * 1000 / (record->end - record->begin), 3);
	}
	return OUT_PUT(cursor, "}}");
}

/* What is too long for the room of the numbers goes by itself. */
static char *put_body(struct chrome *chrome, char *cursor, const char *bytes, size_t size)
{
	if (size <= BODY_COPY_LIMIT)
		return out_put_bytes(cursor, bytes, size);
	out_advance(chrome->out, cursor);
	out_bytes(chrome->out, bytes, size);
	return out_room(chrome->out, NUMBERS_BYTES);
}

static void chrome_slice(void *writer, const struct timeline_slice *slice)
{
	struct chrome *chrome = writer;
	const struct record *record = slice->record;
	size_t size;
	const char *bytes = body_get(chrome->body, slice->prepared, slice->on_device, &size);
	char *cursor = out_room(chrome->out, BODY_COPY_LIMIT + 2 * NUMBERS_BYTES);
	cursor = OUT_PUT(cursor, ",\n{\"ph\":\"X\"");
	cursor = put_place(chrome, cursor, slice->track->tid, record->begin);
	cursor = OUT_PUT(cursor, ",\"dur\":");
	cursor = put_us(cursor, record->end > record->begin ? record->end - record->begin : 0);
	bool first = size > 0 && bytes[size - 1] == '{';
	cursor = put_body(chrome, cursor, bytes, size);
	out_advance(chrome->out, put_columns(chrome, cursor, record, first));
	if (slice->origin != NULL)
		put_arrow(chrome, slice);
}

static void chrome_span(void *writer, const struct timeline_span *span)
{
	struct chrome *chrome = writer;
	struct out *out = chrome->out;
	out_text(out, span->track != NULL ? ",\n{\"ph\":\"X\"" : ",\n{\"ph\":\"i\",\"s\":\"p\"");
	char *cursor = out_room(out, NUMBERS_BYTES);
	cursor = put_place(
		chrome, cursor, span->track != NULL ? span->track->tid : 0, span->begin_ns);
	if (span->track != NULL) {
		cursor = OUT_PUT(cursor, ",\"dur\":");
		cursor = put_us(cursor, span->end_ns - span->begin_ns);
	}
	out_advance(out, cursor);
	out_text(out, ",\"name\":");
	json_quote(out, span->name);
	out_text(out, ",\"cat\":");
	json_quote(out, span->category);
	out_text(out, ",\"args\":{");
	for (unsigned i = 0; i < 3 && span->texts[i].key != NULL; i++) {
		out_text(out, i == 0 ? "\"" : ",\"");
		out_text(out, span->texts[i].key);
		out_text(out, "\":");
		json_quote(out, span->texts[i].text);
	}
	out_text(out, "}}");
}

static void chrome_counter(void *writer, const struct timeline_counter *counter)
{
	struct chrome *chrome = writer;
	out_text(chrome->out, ",\n{\"ph\":\"C\",\"pid\":");
	char *cursor = out_room(chrome->out, NUMBERS_BYTES);
	cursor = out_put_u64(cursor, chrome->pid);
	cursor = OUT_PUT(cursor, ",\"ts\":");
	cursor = put_since_begin(chrome, cursor, counter->ns);
	out_advance(chrome->out, cursor);
	out_text(chrome->out, ",\"name\":");
	json_quote(chrome->out, counter->name);
	out_format(chrome->out, ",\"args\":{\"value\":%.17g}}", counter->value);
}

static void chrome_finish(void *writer)
{
	struct chrome *chrome = writer;
	out_text(chrome->out, "\n]}\n");
}

static const struct body *chrome_body(const void *writer)
{
	const struct chrome *chrome = writer;
	return chrome->body;
}

const struct timeline_writer writer_chrome = {.name = "chrome",
	.new = chrome_new,
	.free = chrome_free,
	.begin_file = chrome_begin_file,
	.end_file = chrome_end_file,
	.process = chrome_process,
	.track = chrome_track,
	.slice = chrome_slice,
	.span = chrome_span,
	.counter = chrome_counter,
	.finish = chrome_finish,
	.body = chrome_body};
