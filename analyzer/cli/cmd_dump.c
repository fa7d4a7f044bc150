/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/cli/visit.h"
#include "analyzer/text/field_text.h"

struct dump {
	const struct command_context *context;
	struct out *out;
	const struct term *term;
	struct json json;
	struct field_names names;
	uint64_t begin_ns;
	bool as_json;
	bool all_kinds;
	bool windowed;    /* blocks have gaps: no sequence numbers */
	uint32_t records; /* bit per kind that is wanted */
	uint32_t metas;
};

static int unknown_kind(const char *word)
{
	const char *names[RECORD_KIND_LIMIT + META_KIND_COUNT];
	char hint[64] = "";
	size_t count = 0;
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++)
		if (record_kinds[kind].name != NULL)
			names[count++] = record_kinds[kind].name;
	for (unsigned kind = META_NONE + 1; kind < META_KIND_COUNT; kind++)
		names[count++] = meta_kind_name(kind);
	const char *near = options_nearest(word, names, count);
	if (near != NULL)
		snprintf(hint, sizeof(hint), "did you mean '%s'?", near);
	return command_fail(EXIT_CODE_USAGE, hint, "--kind: '%s' is not a kind of entry", word);
}

/* "call" is the name of an event and of a map: then both. */
static int choose_kinds(struct dump *dump)
{
	size_t count;
	const char *const *words = options_list(dump->context->options, OPTION_KIND, &count);
	dump->all_kinds = count == 0;
	for (size_t i = 0; i < count; i++) {
		enum meta_kind meta = meta_kind_from_name(words[i]);
		uint32_t records = 0;
		for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++)
			if (record_kinds[kind].name != NULL &&
				strcmp(record_kinds[kind].name, words[i]) == 0)
				records |= 1u << kind;
		if (meta == META_NONE && records == 0)
			return unknown_kind(words[i]);
		dump->records |= records;
		dump->metas |= meta == META_NONE ? 0 : 1u << meta;
	}
	return EXIT_CODE_FINE;
}

static bool wants_thread(const struct dump *dump, const struct reader *reader, uint32_t id)
{
	size_t count;
	const char *const *words = options_list(dump->context->options, OPTION_THREAD, &count);
	const struct meta_THREAD *thread = reader_thread(reader, id);
	char tid[24];
	if (count == 0)
		return true;
	if (thread == NULL)
		return false;
	snprintf(tid, sizeof(tid), "%" PRIu64, thread->tid);
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i], tid) == 0 || strcmp(words[i], thread->name) == 0)
			return true;
	return false;
}

/* Seconds since the begin of the run, to the nanosecond. */
static void print_time(struct dump *dump, uint64_t ns)
{
	bool before = ns < dump->begin_ns;
	out_char(dump->out, before ? '-' : '+');
	out_decimal(dump->out, before ? dump->begin_ns - ns : ns - dump->begin_ns, 9);
}

static void print_place(struct dump *dump, struct reader *reader, uint32_t id)
{
	const struct meta_PLACE *place = reader_place(reader, id);
	if (id == 0)
		return;
	if (place == NULL) {
		out_format(dump->out, "  place %" PRIu32, id);
		return;
	}
	bool user = place->user_file != 0;
	out_text(dump->out, "  ");
	out_text(dump->out, term_style(dump->term, TERM_CYAN));
	out_printable(dump->out,
		reader_text(reader, (uint32_t)(user ? place->user_file : place->file)), 0);
	if (place->line != 0 || place->user_line != 0) {
		out_char(dump->out, ':');
		out_u64(dump->out, user ? place->user_line : place->line);
	} else if (place->address != 0) {
		out_char(dump->out, '+');
		out_hex(dump->out, place->address);
	}
	out_char(dump->out, ' ');
	out_printable(dump->out,
		reader_text(reader, (uint32_t)(user ? place->user_function : place->function)), 0);
	out_text(dump->out, term_style(dump->term, TERM_PLAIN));
}

static void print_thread(struct dump *dump, const struct reader *reader, uint32_t id)
{
	const struct meta_THREAD *thread = reader_thread(reader, id);
	if (thread == NULL) {
		out_format(dump->out, "#%-7" PRIu32, id);
		return;
	}
	out_format(dump->out, "%-8" PRIu64, thread->tid);
}

static bool is_device_side(unsigned kind)
{
	return kind >= RECORD_DEVICE_KERNEL && kind < RECORD_SAMPLE && kind != RECORD_OVERHEAD;
}

static void print_event(
	struct dump *dump, struct reader *reader, uint32_t thread, const struct record *record)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	uint64_t duration = record->end > record->begin ? record->end - record->begin : 0;
	print_time(dump, record->begin);
	out_char(dump->out, ' ');
	char text[32];
	*out_put_decimal(text, duration, 3) = '\0';
	out_format(dump->out, "%10sus ", text);
	print_thread(dump, reader, thread);
	out_text(dump->out, term_style(dump->term, TERM_BOLD));
	out_format(dump->out, " %-7s", info->name);
	out_text(dump->out, term_style(dump->term, TERM_PLAIN));
	if (record->call != 0) {
		const char *call = reader_call(reader, record->call);
		out_char(dump->out, ' ');
		if (call[0] != '\0')
			out_printable(dump->out, call, 0);
		else
			out_format(dump->out, "call %u", record->call);
	}
	for (unsigned i = 0; i < info->field_count; i++)
		field_print(dump->out, &dump->names, record, &info->fields[i]);
	if (is_device_side(record->kind)) {
		out_char(dump->out, '\n');
		return;
	}
	if (record->result != 0)
		out_format(dump->out, " result=%" PRId32, record->result);
	print_place(dump, reader, record->place);
	out_char(dump->out, '\n');
}

static void json_place(struct dump *dump, struct reader *reader, uint32_t id)
{
	struct json *json = &dump->json;
	const struct meta_PLACE *place = reader_place(reader, id);
	if (id == 0)
		return;
	json_add_object(json, "place");
	json_add_u64(json, "id", id);
	if (place != NULL) {
		json_add_text(json, "language", place->language);
		json_add_text(json, "file", reader_text(reader, (uint32_t)place->file));
		json_add_u64(json, "line", place->line);
		json_add_text(json, "function", reader_text(reader, (uint32_t)place->function));
		json_add_text(json, "user_file", reader_text(reader, (uint32_t)place->user_file));
		json_add_u64(json, "user_line", place->user_line);
		json_add_text(
			json, "user_function", reader_text(reader, (uint32_t)place->user_function));
		json_add_u64(json, "address", place->address);
	}
	json_object_end(json);
}

static void json_event(struct dump *dump, struct reader *reader, uint32_t thread, uint64_t sequence,
	const struct record *record)
{
	struct json *json = &dump->json;
	const struct record_kind_info *info = &record_kinds[record->kind];
	const struct meta_THREAD *known = reader_thread(reader, thread);
	json_object(json);
	json_add_text(json, "type", "event");
	json_add_text(json, "kind", info->name);
	json_add_u64(json, "begin_ns", record->begin);
	json_add_u64(json, "end_ns", record->end);
	json_add_u64(json, "thread", thread);
	if (known != NULL)
		json_add_u64(json, "tid", known->tid);
	if (!dump->windowed)
		json_add_u64(json, "sequence", sequence);
	if (record->call != 0)
		json_add_text(json, "call", reader_call(reader, record->call));
	if (!is_device_side(record->kind)) {
		json_add_i64(json, "result", record->result);
		json_place(dump, reader, record->place);
	}
	json_add_object(json, "fields");
	for (unsigned i = 0; i < info->field_count; i++)
		field_json(json, &dump->names, record, &info->fields[i]);
	json_object_end(json);
	json_object_end(json);
	json_finish(json);
}

static void dump_meta(struct dump *dump, const struct meta *meta)
{
	bool chosen = dump->metas >> meta->kind & 1;
	/* names and places stand in the lines of the events */
	if (!chosen && (!dump->all_kinds || (!dump->as_json && field_is_definition(meta->kind))))
		return;
	if (!dump->as_json) {
		out_text(dump->out, meta_kind_name(meta->kind));
		field_print_meta(dump->out, meta);
		out_char(dump->out, '\n');
		return;
	}
	json_object(&dump->json);
	json_add_text(&dump->json, "type", "map");
	json_add_text(&dump->json, "kind", meta_kind_name(meta->kind));
	json_add_object(&dump->json, "fields");
	field_json_meta(&dump->json, meta);
	json_object_end(&dump->json);
	json_object_end(&dump->json);
	json_finish(&dump->json);
}

static void begin_file(void *data, struct reader *reader)
{
	struct dump *dump = data;
	dump->names.reader = reader;
	if (!dump->as_json)
		return;
	json_object(&dump->json);
	json_add_text(&dump->json, "type", "file");
	json_add_text(&dump->json, "path", reader_path(reader));
	json_object_end(&dump->json);
	json_finish(&dump->json);
}

static void dump_item(void *data, struct reader *reader, const struct item *item)
{
	struct dump *dump = data;
	if (item->type == ITEM_META) {
		dump_meta(dump, &item->meta);
		return;
	}
	if (!wants_thread(dump, reader, item->thread))
		return;
	for (unsigned i = 0; i < item->count; i++) {
		const struct record *record = &item->records[i];
		if (!dump->all_kinds && (dump->records >> record->kind & 1) == 0)
			continue;
		if (dump->as_json)
			json_event(dump, reader, item->thread, item->first_sequence + i, record);
		else
			print_event(dump, reader, item->thread, record);
	}
}

static void end_file(void *data, struct reader *reader)
{
	struct dump *dump = data;
	const struct reader_health *health = reader_health(reader);
	demangle_cache_release(&dump->names.cache);
	if (!dump->as_json)
		return;
	struct json *json = &dump->json;
	json_object(json);
	json_add_text(json, "type", "health");
	json_add_u64(json, "events", health->events);
	json_add_u64(json, "lost", health->lost);
	json_add_u64(json, "missing", health->missing);
	json_add_u64(json, "recovered", health->recovered);
	json_add_u64(json, "damaged_frames", health->damaged_frames);
	json_add_u64(json, "damaged_bytes", health->damaged_bytes);
	json_add_u64(json, "missing_frames", health->missing_frames);
	json_add_u64(json, "duplicate_frames", health->duplicate_frames);
	json_add_u64(json, "reordered_frames", health->reordered_frames);
	json_add_u64(json, "foreign_frames", health->foreign_frames);
	json_add_u64(json, "skipped_items", health->skipped_items);
	json_add_bool(json, "clean_end", health->clean_end);
	json_add_bool(json, "truncated", health->truncated);
	json_add_bool(json, "newer", health->newer);
	json_add_text(json, "end_reason", health->end_reason);
	json_object_end(json);
	json_finish(json);
}

int cmd_dump(struct command_context *context)
{
	struct visit visit;
	const struct options *options = context->options;
	struct dump dump = {.context = context, .out = context->out, .term = &context->term};
	int code = choose_kinds(&dump);
	if (code == EXIT_CODE_FINE)
		code = visit_open(&visit, context);
	if (code != EXIT_CODE_FINE)
		return code;
	dump.begin_ns = visit.begin_ns;
	dump.windowed = visit.from_ns != 0 || visit.to_ns != UINT64_MAX;
	dump.as_json = strcmp(options_text(options, OPTION_FORMAT), "json") == 0;
	dump.names.cache.how = demangle_from_name(options_text(options, OPTION_NAMES));
	json_init(&dump.json, dump.out, false);
	struct visitor visitor = {begin_file, dump_item, end_file, &dump};
	code = visit_all(&visit, &visitor);
	visit_close(&visit);
	return code;
}
