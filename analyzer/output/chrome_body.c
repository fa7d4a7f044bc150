/* SPDX-License-Identifier: MIT */
#include "analyzer/output/chrome_body.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/text/field_text.h"
#include "collector/base/hash.h"
#include "collector/format/fields.h"

#define CACHE_SLOTS   32768u /* power of two */
#define CACHED_LIMIT  2048u  /* bytes of a text that is kept */
#define COLUMN_LIMIT  4u     /* fields of a kind that are not part of what repeats */
#define NUMBERS_BYTES 256u

/* Text of an event from its name on, without the closing braces. One cache line. */
struct tail {
	alignas(64) uint64_t key[CHROME_KEY_WORDS]; /* of the record, columns are 0 */
	char *text;
	uint32_t size, capacity;
};

struct chrome_body {
	struct field_names names;
	struct out scratch; /* a text is made here */
	struct tail *tails;
	const struct record_field *columns[RECORD_KIND_LIMIT][COLUMN_LIMIT];
};

_Static_assert(sizeof(struct tail) == 64, "a look costs one cache line");
_Static_assert(offsetof(struct record, kind) == 16, "the key begins behind the times");

/* Which fields change from event to event, by the record table. */
static void find_columns(struct chrome_body *body)
{
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++) {
		unsigned count = 0;
		for (unsigned i = 0; i < record_kinds[kind].field_count; i++) {
			const struct record_field *field = &record_kinds[kind].fields[i];
			if (field->where == FIELD_COLUMN && count + 1 < COLUMN_LIMIT)
				body->columns[kind][count++] = field;
		}
	}
}

struct chrome_body *chrome_body_new(enum demangle_how how)
{
	struct chrome_body *body = calloc(1, sizeof(*body));
	if (body == NULL)
		return NULL;
	body->names.cache.how = how;
	body->tails = aligned_alloc(64, CACHE_SLOTS * sizeof(*body->tails));
	if (body->tails != NULL)
		memset(body->tails, 0, CACHE_SLOTS * sizeof(*body->tails));
	if (body->tails == NULL || out_open_memory(&body->scratch) < 0) {
		chrome_body_free(body);
		return NULL;
	}
	find_columns(body);
	return body;
}

void chrome_body_free(struct chrome_body *body)
{
	if (body == NULL)
		return;
	for (size_t i = 0; body->tails != NULL && i < CACHE_SLOTS; i++)
		free(body->tails[i].text);
	free(body->tails);
	demangle_cache_release(&body->names.cache);
	(void)out_close(&body->scratch);
	free(body);
}

void chrome_body_begin_file(struct chrome_body *body, const struct reader *reader)
{
	body->names.reader = reader;
	for (size_t i = 0; i < CACHE_SLOTS; i++)
		body->tails[i].size = 0; /* ids mean something else in every file */
}

void chrome_body_end_file(struct chrome_body *body)
{
	demangle_cache_release(&body->names.cache);
	body->names.reader = NULL;
}

static void add_place(struct chrome_body *body, struct json *json, uint32_t id)
{
	const struct reader *reader = body->names.reader;
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

static void add_title(struct chrome_body *body, const struct record *record)
{
	const char *title = field_title(&body->names, record);
	char text[64];
	if (record->kind == RECORD_DEVICE_COPY) {
		const char *direction =
			field_value_name(record->kind, "direction", record_direction(record));
		snprintf(text, sizeof(text), "copy %s", direction != NULL ? direction : "");
		title = text;
	}
	if (record->kind == RECORD_DEVICE_KERNEL && record_DEVICE_KERNEL_kernel(record) == 0 &&
		record_device_graph(record) != 0) {
		snprintf(text, sizeof(text), "graph %" PRIu32 " as a whole",
			record_device_graph(record));
		title = text;
	}
	json_quote(&body->scratch, title);
}

/* ,"name":...,"cat":...,"args":{... of a record without its times and columns. */
static void make_tail(struct chrome_body *body, const struct record *record, bool on_device)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	struct out *scratch = &body->scratch;
	struct json json;
	scratch->used = 0;
	out_text(scratch, ",\"name\":");
	add_title(body, record);
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
				      field_value_name(record->kind, field->name, value) != NULL;
		if (field->where == FIELD_SITE && says_something)
			field_json(&json, &body->names, record, field);
	}
	if (!on_device && record->result != 0)
		json_add_i64(&json, "result", record->result);
	if (!on_device && record->place != 0)
		add_place(body, &json, record->place);
}

static uint32_t slot_of(const uint64_t *key)
{
	return (uint32_t)(hash_words(key, CHROME_KEY_WORDS) >> 32) & (CACHE_SLOTS - 1);
}

/* Keep what is in scratch; without memory it is made again next time. */
static void keep_tail(struct chrome_body *body, struct tail *tail, const uint64_t *key)
{
	size_t size = body->scratch.used;
	tail->size = 0;
	if (size > tail->capacity) {
		char *larger = realloc(tail->text, size);
		if (larger == NULL)
			return;
		tail->text = larger;
		tail->capacity = (uint32_t)size;
	}
	memcpy(tail->text, body->scratch.buffer, size);
	tail->size = (uint32_t)size;
	memcpy(tail->key, key, sizeof(tail->key));
}

static bool is_tail(const struct tail *tail, const uint64_t *key)
{
	uint64_t difference = 0;
	for (unsigned i = 0; i < CHROME_KEY_WORDS; i++)
		difference |= tail->key[i] ^ key[i];
	return difference == 0 && tail->size != 0;
}

/* The slot of a key, or the one that it may take: the free one of two, else the first. */
static struct tail *find_tail(struct chrome_body *body, const struct chrome_prepared *prepared)
{
	struct tail *first = &body->tails[prepared->slot];
	struct tail *second = &body->tails[prepared->slot ^ 1];
	if (is_tail(first, prepared->key) || first->size == 0)
		return first;
	return is_tail(second, prepared->key) || second->size == 0 ? second : first;
}

/* Work out the key some events ahead, so that its slot is in the cache when it is needed. */
void chrome_body_prepare(const struct chrome_body *body, const struct record *record,
	struct chrome_prepared *ret_prepared)
{
	struct record same = *record;
	for (unsigned i = 0; body->columns[record->kind][i] != NULL; i++)
		record_set(&same, body->columns[record->kind][i], 0);
	memcpy(ret_prepared->key, &same.kind, sizeof(ret_prepared->key));
	ret_prepared->slot = slot_of(ret_prepared->key);
	__builtin_prefetch(&body->tails[ret_prepared->slot]);
}

static void put_tail(struct chrome_body *body, struct out *out,
	const struct chrome_prepared *prepared, bool on_device)
{
	struct tail *tail = find_tail(body, prepared);
	if (is_tail(tail, prepared->key)) {
		char *room = out_room(out, CACHED_LIMIT);
		out_advance(out, out_put_bytes(room, tail->text, tail->size));
		return;
	}
	struct record same = {0};
	memcpy(&same.kind, prepared->key, sizeof(prepared->key));
	make_tail(body, &same, on_device);
	if (body->scratch.used <= CACHED_LIMIT)
		keep_tail(body, tail, prepared->key);
	out_bytes(out, body->scratch.buffer, body->scratch.used);
}

/* The fields that are not in the tail, and the end. */
static void put_columns(
	const struct chrome_body *body, struct out *out, const struct record *record)
{
	char *cursor = out_room(out, NUMBERS_BYTES);
	for (unsigned i = 0; body->columns[record->kind][i] != NULL; i++) {
		const struct record_field *field = body->columns[record->kind][i];
		uint64_t value = record_get(record, field);
		size_t size = strlen(field->name);
		bool negative = field->type == FIELD_INT && (int64_t)value < 0;
		cursor = OUT_PUT(cursor, ",\"");
		cursor = out_put_bytes(cursor, field->name, size < 24 ? size : 24);
		cursor = OUT_PUT(cursor, "\":");
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
	cursor = OUT_PUT(cursor, "}}");
	out_advance(out, cursor);
}

void chrome_body_put(struct chrome_body *body, struct out *out, const struct record *record,
	const struct chrome_prepared *prepared, bool on_device)
{
	put_tail(body, out, prepared, on_device);
	put_columns(body, out, record);
}
