/* SPDX-License-Identifier: MIT */
#include "analyzer/output/chrome.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/output/chrome_flow.h"
#include "analyzer/output/chrome_rows.h"
#include "analyzer/text/field_text.h"

#define CACHE_SLOTS   32768u /* power of two */
#define CACHED_LIMIT  2048u  /* bytes of a text that is kept */
#define COLUMN_LIMIT  4u     /* fields of a kind that are not part of what repeats */
#define PID_WITHOUT   2000000000u
#define NUMBERS_BYTES 256u

#define KEY_WORDS 6u /* of a record, all but its times */

/* Text of an event from its name on, without the closing braces. One cache line. */
struct tail {
	alignas(64) uint64_t key[KEY_WORDS]; /* of the record, columns are 0 */
	char *text;
	uint32_t size, capacity;
};
/* What is known about an event before its turn comes. */
struct prepared {
	uint64_t key[KEY_WORDS];
	uint32_t slot;
};
#define AHEAD       6u
#define AHEAD_SLOTS 8u /* power of two above AHEAD */

_Static_assert(sizeof(struct tail) == 64, "a look costs one cache line");
_Static_assert(offsetof(struct record, kind) == 16, "the key begins behind the times");

struct chrome {
	struct out *out;
	uint64_t begin_ns;
	uint64_t events;
	struct field_names names;
	struct out scratch; /* a tail is made here */
	struct tail *tails;
	const struct record_field *columns[RECORD_KIND_LIMIT][COLUMN_LIMIT];
	/* the file in work */
	uint64_t file_count;
	uint64_t pid;
	bool has_pid;
	struct chrome_rows rows;
	struct chrome_flow flow;
	uint64_t *pids; /* of all files */
	size_t pid_count;
};

/* Which fields change from event to event, by the record table. */
static void find_columns(struct chrome *chrome)
{
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++) {
		unsigned count = 0;
		for (unsigned i = 0; i < record_kinds[kind].field_count; i++) {
			const struct record_field *field = &record_kinds[kind].fields[i];
			if (field->where == FIELD_COLUMN && count + 1 < COLUMN_LIMIT)
				chrome->columns[kind][count++] = field;
		}
	}
}

struct chrome *chrome_new(struct out *out, uint64_t begin_ns, enum demangle_how how)
{
	struct chrome *chrome = calloc(1, sizeof(*chrome));
	if (chrome == NULL)
		return NULL;
	chrome->out = out;
	chrome->begin_ns = begin_ns;
	chrome->names.cache.how = how;
	chrome->tails = aligned_alloc(64, CACHE_SLOTS * sizeof(*chrome->tails));
	if (chrome->tails != NULL)
		memset(chrome->tails, 0, CACHE_SLOTS * sizeof(*chrome->tails));
	if (chrome->tails == NULL || out_open_memory(&chrome->scratch) < 0) {
		chrome_free(chrome);
		return NULL;
	}
	find_columns(chrome);
	out_text(out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"made by\":\"trace-analyzer\"},\n"
		"\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":\"trace\",\"args\":{}}");
	return chrome;
}

static void forget_tails(struct chrome *chrome)
{
	for (size_t i = 0; chrome->tails != NULL && i < CACHE_SLOTS; i++)
		chrome->tails[i].size = 0;
}

void chrome_free(struct chrome *chrome)
{
	if (chrome == NULL)
		return;
	for (size_t i = 0; chrome->tails != NULL && i < CACHE_SLOTS; i++)
		free(chrome->tails[i].text);
	free(chrome->tails);
	free(chrome->pids);
	chrome_rows_release(&chrome->rows);
	demangle_cache_release(&chrome->names.cache);
	(void)out_close(&chrome->scratch);
	free(chrome);
}

/* Two processes of a run may have the same number, on different hosts or one after the other. */
static uint64_t unique_pid(struct chrome *chrome, uint64_t pid)
{
	for (size_t i = 0; i < chrome->pid_count; i++)
		if (chrome->pids[i] == pid)
			pid = PID_WITHOUT + chrome->file_count;
	uint64_t *larger = realloc(chrome->pids, (chrome->pid_count + 1) * sizeof(*larger));
	if (larger != NULL) {
		chrome->pids = larger;
		chrome->pids[chrome->pid_count++] = pid;
	}
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
	const struct meta_RUN *run = reader_run(chrome->names.reader);
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
	chrome->names.reader = reader;
	if (chrome->file_count++ > 0)
		chrome_flow_next_file(&chrome->flow);
	chrome->has_pid = false;
	forget_tails(chrome); /* ids mean something else in every file */
}

void chrome_end_file(struct chrome *chrome)
{
	demangle_cache_release(&chrome->names.cache);
	chrome_rows_release(&chrome->rows);
	chrome->names.reader = NULL;
}

void chrome_finish(struct chrome *chrome)
{
	out_text(chrome->out, "\n]}\n");
}

uint64_t chrome_events(const struct chrome *chrome)
{
	return chrome->events;
}

static char *put_bytes(char *cursor, const char *bytes, size_t size)
{
	memcpy(cursor, bytes, size);
	return cursor + size;
}

#define PUT(cursor, literal) put_bytes(cursor, literal, sizeof(literal) - 1)

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

static void add_place(struct chrome *chrome, struct json *json, uint32_t id)
{
	const struct reader *reader = chrome->names.reader;
	const struct meta_PLACE *place = reader_place(reader, id);
	if (place == NULL)
		return;
	bool user = place->user_file != 0;
	const char *function =
		reader_text(reader, (uint32_t)(user ? place->user_function : place->function));
	json_add_text(json, "file",
		reader_text(reader, (uint32_t)(user ? place->user_file : place->file)));
	if (place->line != 0 || user)
		json_add_u64(json, "line", user ? place->user_line : place->line);
	if (function[0] != '\0')
		json_add_text(json, "function", function);
}

static void add_title(struct chrome *chrome, const struct record *record)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	const char *title = field_title(&chrome->names, record);
	char text[64];
	for (unsigned i = 0; record->kind == RECORD_DEVICE_COPY && i < info->field_count; i++)
		if (strcmp(info->fields[i].name, "direction") == 0) {
			const char *direction = field_value_name(record->kind, &info->fields[i],
				record_get(record, &info->fields[i]));
			snprintf(text, sizeof(text), "copy %s", direction != NULL ? direction : "");
			title = text;
		}
	if (record->kind == RECORD_DEVICE_KERNEL && record->name == 0 &&
		record->stream >> 32 != 0) {
		snprintf(text, sizeof(text), "graph %" PRIu64 " as a whole", record->stream >> 32);
		title = text;
	}
	json_quote(&chrome->scratch, title);
}

/* ,"name":...,"cat":...,"args":{... of a record without its times and columns. */
static void make_tail(struct chrome *chrome, const struct record *record, bool on_device)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	struct out *scratch = &chrome->scratch;
	struct json json;
	scratch->used = 0;
	out_text(scratch, ",\"name\":");
	add_title(chrome, record);
	out_text(scratch, ",\"cat\":");
	json_quote(scratch, info->name);
	out_text(scratch, ",\"args\":");
	json_init(&json, scratch, false);
	json.dense = true;
	json_object(&json);
	for (unsigned i = 0; i < info->field_count; i++) {
		const struct record_field *field = &info->fields[i];
		uint64_t value = record_get(record, field);
		bool says_something = value != 0 || field->type == FIELD_HANDLE ||
				      field_value_name(record->kind, field, value) != NULL;
		if (field->where == FIELD_SITE && says_something)
			field_json(&json, &chrome->names, record, field);
	}
	if (!on_device && record->result != 0)
		json_add_i64(&json, "result", record->result);
	if (!on_device && record->place != 0)
		add_place(chrome, &json, record->place);
}

static uint32_t hash_of(const uint64_t *key)
{
	uint64_t hash = 0;
	for (unsigned i = 0; i < KEY_WORDS; i++)
		hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(hash >> 32) & (CACHE_SLOTS - 1);
}

/* Keep what is in scratch; without memory it is made again next time. */
static void keep_tail(struct chrome *chrome, struct tail *tail, const uint64_t *key)
{
	size_t size = chrome->scratch.used;
	tail->size = 0;
	if (size > tail->capacity) {
		char *larger = realloc(tail->text, size);
		if (larger == NULL)
			return;
		tail->text = larger;
		tail->capacity = (uint32_t)size;
	}
	memcpy(tail->text, chrome->scratch.buffer, size);
	tail->size = (uint32_t)size;
	memcpy(tail->key, key, sizeof(tail->key));
}

static bool is_tail(const struct tail *tail, const uint64_t *key)
{
	uint64_t difference = 0;
	for (unsigned i = 0; i < KEY_WORDS; i++)
		difference |= tail->key[i] ^ key[i];
	return difference == 0 && tail->size != 0;
}

/* The slot of a key, or the one that it may take: the free one of two, else the first. */
static struct tail *find_tail(struct chrome *chrome, const struct prepared *prepared)
{
	struct tail *first = &chrome->tails[prepared->slot];
	struct tail *second = &chrome->tails[prepared->slot ^ 1];
	if (is_tail(first, prepared->key) || first->size == 0)
		return first;
	return is_tail(second, prepared->key) || second->size == 0 ? second : first;
}

/* Work out the key some events ahead, so that its slot is in the cache when it is needed. */
static void prepare(
	struct chrome *chrome, const struct record *record, struct prepared *ret_prepared)
{
	struct record same = *record;
	for (unsigned i = 0; chrome->columns[record->kind][i] != NULL; i++)
		record_set(&same, chrome->columns[record->kind][i], 0);
	memcpy(ret_prepared->key, &same.kind, sizeof(ret_prepared->key));
	ret_prepared->slot = hash_of(ret_prepared->key);
	__builtin_prefetch(&chrome->tails[ret_prepared->slot]);
}

static void put_tail(struct chrome *chrome, const struct prepared *prepared, bool on_device)
{
	struct tail *tail = find_tail(chrome, prepared);
	if (is_tail(tail, prepared->key)) {
		char *room = out_room(chrome->out, CACHED_LIMIT);
		out_advance(chrome->out, put_bytes(room, tail->text, tail->size));
		return;
	}
	struct record same = {0};
	memcpy(&same.kind, prepared->key, sizeof(prepared->key));
	make_tail(chrome, &same, on_device);
	if (chrome->scratch.used <= CACHED_LIMIT)
		keep_tail(chrome, tail, prepared->key);
	out_bytes(chrome->out, chrome->scratch.buffer, chrome->scratch.used);
}

/* The fields that are not in the tail, and the end. */
static void put_columns(struct chrome *chrome, const struct record *record)
{
	char *cursor = out_room(chrome->out, NUMBERS_BYTES);
	for (unsigned i = 0; chrome->columns[record->kind][i] != NULL; i++) {
		const struct record_field *field = chrome->columns[record->kind][i];
		uint64_t value = record_get(record, field);
		size_t size = strlen(field->name);
		bool negative = field->type == FIELD_INT && (int64_t)value < 0;
		cursor = PUT(cursor, ",\"");
		cursor = put_bytes(cursor, field->name, size < 24 ? size : 24);
		cursor = PUT(cursor, "\":");
		if (negative)
			*cursor++ = '-';
		cursor = out_put_u64(cursor, negative ? 0 - value : value);
	}
	bool moves = record->kind == RECORD_DEVICE_COPY || record->kind == RECORD_DEVICE_SET;
	if (moves && record->a < UINT64_MAX / 1000 && record->end > record->begin) {
		cursor = PUT(cursor, ",\"bandwidth_gb_s\":");
		cursor = out_put_decimal(
			cursor, record->a * 1000 / (record->end - record->begin), 3);
	}
	cursor = PUT(cursor, "}}");
	out_advance(chrome->out, cursor);
}

/* An event of one instant up to the value of its argument; phase is its text in JSON. */
static void put_instant(struct chrome *chrome, const char *phase, uint64_t ns, const char *name,
	const char *argument)
{
	out_text(chrome->out, ",\n{\"ph\":");
	out_text(chrome->out, phase);
	char *cursor = out_room(chrome->out, NUMBERS_BYTES);
	cursor = PUT(cursor, ",\"pid\":");
	cursor = out_put_u64(cursor, chrome->pid);
	cursor = PUT(cursor, ",\"ts\":");
	cursor = put_since_begin(chrome, cursor, ns);
	cursor = PUT(cursor, ",\"name\":");
	out_advance(chrome->out, cursor);
	json_quote(chrome->out, name);
	out_text(chrome->out, ",\"args\":{\"");
	out_text(chrome->out, argument);
	out_text(chrome->out, "\":");
}

static void put_sample(struct chrome *chrome, const struct record *record)
{
	const struct record_kind_info *info = &record_kinds[RECORD_SAMPLE];
	const char *metric = field_value_name(RECORD_SAMPLE, &info->fields[0], record->c);
	put_instant(chrome, "\"C\"", record->begin, metric != NULL ? metric : "sample", "value");
	out_u64(chrome->out, record->a);
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
	const struct prepared *prepared)
{
	struct chrome_row row;
	bool on_device = chrome_row_of(record, &row);
	if (on_device)
		tid = row_number(chrome, &row);
	char *cursor = out_room(chrome->out, NUMBERS_BYTES);
	cursor = PUT(cursor, ",\n{\"ph\":\"X\",\"pid\":");
	cursor = out_put_u64(cursor, chrome->pid);
	cursor = PUT(cursor, ",\"tid\":");
	cursor = out_put_u64(cursor, tid);
	cursor = PUT(cursor, ",\"ts\":");
	cursor = put_since_begin(chrome, cursor, record->begin);
	cursor = PUT(cursor, ",\"dur\":");
	cursor = put_us(cursor, record->end > record->begin ? record->end - record->begin : 0);
	out_advance(chrome->out, cursor);
	put_tail(chrome, prepared, on_device);
	put_columns(chrome, record);
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
	const struct meta_THREAD *thread = reader_thread(chrome->names.reader, item->thread);
	uint64_t tid = thread != NULL ? thread->tid : item->thread;
	struct prepared prepared[AHEAD_SLOTS];
	for (unsigned i = 0; i < item->count + AHEAD; i++) {
		if (i < item->count)
			prepare(chrome, &item->records[i], &prepared[i % AHEAD_SLOTS]);
		if (i < AHEAD)
			continue;
		const struct record *record = &item->records[i - AHEAD];
		if (record->kind == RECORD_SAMPLE)
			put_sample(chrome, record);
		else
			put_event(chrome, tid, record, &prepared[(i - AHEAD) % AHEAD_SLOTS]);
	}
	chrome->events += item->count;
}
