/* SPDX-License-Identifier: MIT */
#include "analyzer/page/label.h"

#include <stdlib.h>

#include "analyzer/text/field_text.h"
#include "collector/base/hash.h"
#include "collector/format/fields.h"

#define SLOTS     32768u /* power of two */
#define KEY_WORDS 6u     /* of a record, all but its times */
#define CHUNK     (32u << 10)

struct label {
	uint64_t key[KEY_WORDS];
	uint32_t number; /* 0: free */
};

struct labels {
	struct pack *pack;
	struct field_names names;
	struct out text; /* descriptions that are not in the pack yet */
	uint32_t count;
	struct label slots[SLOTS];
};

struct labels *labels_new(struct pack *pack, enum demangle_how how)
{
	struct labels *labels = calloc(1, sizeof(*labels));
	if (labels == NULL)
		return NULL;
	labels->pack = pack;
	labels->names.cache.how = how;
	if (out_open_memory(&labels->text) < 0) {
		free(labels);
		return NULL;
	}
	return labels;
}

void labels_free(struct labels *labels)
{
	if (labels == NULL)
		return;
	demangle_cache_release(&labels->names.cache);
	(void)out_close(&labels->text);
	free(labels);
}

void labels_of_file(struct labels *labels, const struct reader *reader)
{
	demangle_cache_release(&labels->names.cache);
	labels->names.reader = reader;
	for (size_t i = 0; i < SLOTS; i++)
		labels->slots[i].number = 0;
}

/* Handles of single objects make every event a label of its own; graphs and streams are few. */
static bool is_left_out(unsigned kind, const struct record_field *field)
{
	return field->where == FIELD_COLUMN ||
	       (field->type == FIELD_HANDLE && kind != RECORD_GRAPH &&
		       strcmp(field->name, "stream") != 0);
}

uint64_t labels_value(const struct record *record)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	for (unsigned i = 0; i < info->field_count; i++)
		if (info->fields[i].where == FIELD_COLUMN && info->fields[i].type != FIELD_HANDLE)
			return record_get(record, &info->fields[i]);
	return 0;
}

static void add_place(struct labels *labels, struct json *json, uint32_t id)
{
	const struct reader *reader = labels->names.reader;
	const struct meta_PLACE *place = reader_place(reader, id);
	if (place == NULL)
		return;
	bool user = place->user_file != 0;
	uint64_t function = user ? place->user_function : place->function;
	json_add_text(json, "file",
		reader_text(reader, (uint32_t)(user ? place->user_file : place->file)));
	json_add_u64(json, "line", user ? place->user_line : place->line);
	json_add_text(json, "function", reader_text(reader, (uint32_t)function));
}

/* Which kinds keep other things in these two of a record's places, by the record table. */
static bool uses_result(const struct record_kind_info *info)
{
	for (unsigned i = 0; i < info->field_count; i++)
		if (strcmp(info->fields[i].name, "correlation") == 0)
			return true;
	return false;
}

static void describe(struct labels *labels, const struct record *record)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	struct json json;
	json_init(&json, &labels->text, false);
	json.dense = true;
	json_object(&json);
	json_add_u64(&json, "label", labels->count);
	json_add_text(&json, "kind", info->name);
	json_add_text(&json, "name", field_title(&labels->names, record));
	bool own = uses_result(info);
	if (!own && record->place != 0)
		add_place(labels, &json, record->place);
	json_add_object(&json, "is");
	for (unsigned i = 0; i < info->field_count; i++) {
		const struct record_field *field = &info->fields[i];
		uint64_t value = record_get(record, field);
		if (is_left_out(record->kind, field))
			continue;
		if (value != 0 || field->type == FIELD_HANDLE ||
			field_value_name(record->kind, field->name, value) != NULL)
			field_json(&json, &labels->names, record, field);
	}
	if (!own && record->result != 0)
		json_add_i64(&json, "result", record->result);
	json_object_end(&json);
	json_object_end(&json);
	json_finish(&json);
}

void labels_flush(struct labels *labels)
{
	if (labels->text.used == 0)
		return;
	pack_bytes(labels->pack, "D", 1);
	pack_u32(labels->pack, (uint32_t)labels->text.used);
	pack_bytes(labels->pack, labels->text.buffer, labels->text.used);
	labels->text.used = 0;
}

uint32_t labels_find(struct labels *labels, const struct record *record)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	struct record same = *record;
	uint64_t key[KEY_WORDS];
	for (unsigned i = 0; i < info->field_count; i++)
		if (is_left_out(record->kind, &info->fields[i]))
			record_set(&same, &info->fields[i], 0);
	memcpy(key, &same.kind, sizeof(key));
	uint32_t slot = (uint32_t)(hash_words(key, KEY_WORDS) >> 32) & (SLOTS - 1);
	struct label *label = &labels->slots[slot];
	if (label->number != 0 && memcmp(label->key, key, sizeof(key)) != 0)
		label = &labels->slots[slot ^ 1];
	if (label->number != 0 && memcmp(label->key, key, sizeof(key)) == 0)
		return label->number;
	label->number = ++labels->count;
	memcpy(label->key, key, sizeof(key));
	describe(labels, &same);
	if (labels->text.used >= CHUNK)
		labels_flush(labels);
	return label->number;
}
