/* SPDX-License-Identifier: MIT */
#include "analyzer/export/forms/perfetto_body.h"

#include "analyzer/export/forms/proto.h"
#include "collector/format/fields.h"

/* Fields of TrackEvent and DebugAnnotation. */
enum {
	EVENT_CATEGORY = 3,
	EVENT_ARGUMENT = 4,
	EVENT_NAME = 10,
	EVENT_PLACE = 34,
	ARGUMENT_NAME = 1,
	ARGUMENT_UINT = 3,
	ARGUMENT_INT = 4,
	ARGUMENT_POINTER = 7,
	ARGUMENT_TEXT = 17
};

#define ROOM 64u /* of a field with numbers */

static void put_number(struct out *out, unsigned field, uint64_t value)
{
	char *room = out_room(out, ROOM);
	out_advance(out, proto_u64(room, field, value));
}

static char *put_argument(char *cursor, uint32_t name, unsigned field, uint64_t value)
{
	char bytes[ROOM];
	char *end = proto_u64(proto_u64(bytes, ARGUMENT_NAME, name), field, value);
	return proto_bytes(cursor, EVENT_ARGUMENT, bytes, (size_t)(end - bytes));
}

char *perfetto_argument(char *cursor, uint32_t name, bool negative, uint64_t value)
{
	return put_argument(cursor, name, negative ? ARGUMENT_INT : ARGUMENT_UINT, value);
}

static void add(struct out *out, uint32_t name, unsigned field, uint64_t value)
{
	char *room = out_room(out, ROOM);
	if (name != 0)
		out_advance(out, put_argument(room, name, field, value));
}

static void add_text(struct perfetto_names *names, struct out *out, uint32_t name, const char *text)
{
	uint32_t number = perfetto_name(names, PERFETTO_ARGUMENT_TEXT, text);
	if (number != 0)
		add(out, name, ARGUMENT_TEXT, number);
}

static void add_field(const struct body_source *source, struct out *out,
	const struct record *record, const struct record_field *field)
{
	struct perfetto_names *names = source->context;
	uint64_t value = record_get(record, field);
	if (!body_says(record->kind, field, value))
		return;
	const char *word = field_value_name(record->kind, field->name, value);
	uint32_t name = perfetto_name(names, PERFETTO_ARGUMENT_NAME, field->name);
	if (word == NULL && field->type == FIELD_NAME)
		word = demangle_text(&source->names->cache, source->names->reader, (uint32_t)value);
	if (word != NULL)
		add_text(names, out, name, word);
	else if (field->type == FIELD_HANDLE)
		add(out, name, ARGUMENT_POINTER, value);
	else
		add(out, name, field->type == FIELD_INT ? ARGUMENT_INT : ARGUMENT_UINT, value);
}

static void add_place(const struct body_source *source, struct out *out, uint32_t id)
{
	struct perfetto_names *names = source->context;
	const struct reader *reader = source->names->reader;
	const struct meta_PLACE *place = reader_place(reader, id);
	if (place == NULL)
		return;
	bool user = place->user_file != 0;
	const char *file = reader_text(reader, (uint32_t)(user ? place->user_file : place->file));
	const char *function =
		reader_text(reader, (uint32_t)(user ? place->user_function : place->function));
	uint64_t line = user ? place->user_line : place->line;
	uint32_t number = perfetto_place(names, file, function, line);
	if (number != 0)
		put_number(out, EVENT_PLACE, number);
	const struct remarks_finding *finding = remarks_at(source->remarks, file, line);
	if (finding != NULL)
		add_text(names, out, perfetto_name(names, PERFETTO_ARGUMENT_NAME, "finding"),
			finding->title);
}

void perfetto_body(const struct body_source *source, struct out *out, const struct record *record,
	bool on_device)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	struct perfetto_names *names = source->context;
	char title[BODY_TITLE_BYTES];
	put_number(out, EVENT_NAME,
		perfetto_name(names, PERFETTO_EVENT_NAME, body_title(source, record, title)));
	put_number(out, EVENT_CATEGORY, perfetto_name(names, PERFETTO_CATEGORY, info->name));
	for (unsigned i = 0; i < info->field_count; i++)
		if (info->fields[i].where == FIELD_SITE)
			add_field(source, out, record, &info->fields[i]);
	if (!on_device && record->result != 0)
		add(out, perfetto_name(names, PERFETTO_ARGUMENT_NAME, "result"), ARGUMENT_INT,
			(uint64_t)(int64_t)(int32_t)record->result);
	if (!on_device && record->place != 0)
		add_place(source, out, record->place);
}
