/* SPDX-License-Identifier: MIT */
#include "collector/write/announce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/buffer/define.h"
#include "collector/format/fields.h"
#include "collector/write/native.h"

static void *table_of(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void learn_kind(struct announce *announce, unsigned kind)
{
	const struct record_kind_info *info = &record_kinds[kind];
	announce->kinds[kind].has_place = 1;
	for (unsigned i = 0; i < info->field_count; i++) {
		const struct record_field *field = &info->fields[i];
		if (field->offset == offsetof(struct record, place))
			announce->kinds[kind].has_place = 0;
		uint8_t count = announce->kinds[kind].count;
		if (field->type != FIELD_NAME || count == sizeof(announce->kinds[kind].offsets))
			continue;
		announce->kinds[kind].offsets[count] = (uint8_t)(field->offset + field->shift / 8);
		announce->kinds[kind].count = (uint8_t)(count + 1);
	}
}

int announce_init(struct announce *announce, struct encoder *encoder, collector_call_of *call_of,
	unsigned call_count)
{
	/* The tables of an earlier session are as good as new ones: frame only ever grows. */
	if (announce->names == NULL)
		announce->names = table_of(INTERN_ID_LIMIT * sizeof(uint32_t));
	if (announce->places == NULL)
		announce->places = table_of(INTERN_ID_LIMIT * sizeof(uint32_t));
	if (announce->stacks == NULL)
		announce->stacks = table_of((DEFINE_STACK_LIMIT + 1) * sizeof(uint32_t));
	if (announce->names == NULL || announce->places == NULL || announce->stacks == NULL)
		return -ENOMEM;
	memset(announce->kinds, 0, sizeof(announce->kinds));
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++)
		learn_kind(announce, kind);
	announce->encoder = encoder;
	announce->call_of = call_of;
	announce->call_count = call_count < ANNOUNCE_CALL_LIMIT ? call_count : ANNOUNCE_CALL_LIMIT;
	announce->frame++;
	return 0;
}

void announce_next_frame(struct announce *announce)
{
	announce->frame++;
}

static int announce_name(struct announce *announce, uint32_t id)
{
	if (id == 0 || id >= INTERN_ID_LIMIT || announce->names[id] == announce->frame)
		return 0;
	size_t length;
	const char *text = define_name_text(id, &length);
	if (text == NULL)
		return 0;
	/* The encoder takes terminated texts. */
	static char copy[DEFINE_TEXT_LIMIT + 1];
	memcpy(copy, text, length);
	copy[length] = '\0';
	struct meta meta = {.kind = META_NAME, .u.name = {.id = id, .text = copy}};
	int code = encoder_add_meta(announce->encoder, &meta);
	if (code == 0)
		announce->names[id] = announce->frame;
	return code;
}

static int announce_names(struct announce *announce, const uint32_t *ids, unsigned count)
{
	int code = 0;
	for (unsigned i = 0; i < count && code == 0; i++)
		code = announce_name(announce, ids[i]);
	return code;
}

static int announce_place(struct announce *announce, uint32_t id)
{
	const struct live_place *place = define_place_at(id);
	if (place == NULL)
		return 0;
	struct live_place where = *place;
	uint64_t build_id = 0;
	if (where.address != 0)
		native_resolve(id, &where, &build_id);
	const uint32_t names[] = {where.file, where.function, where.user_file, where.user_function,
		where.library_file, where.library_function, (uint32_t)build_id};
	int code = announce_names(announce, names, sizeof(names) / sizeof(names[0]));
	if (code < 0)
		return code;
	struct meta meta = {.kind = META_PLACE,
		.u.place = {.id = id,
			.language = place->address != 0 ? "native" : "python",
			.file = where.file,
			.function = where.function,
			.line = where.line,
			.user_file = where.user_file,
			.user_function = where.user_function,
			.user_line = where.user_line,
			.address = where.address,
			.build_id = build_id,
			.library_file = where.library_file,
			.library_function = where.library_function,
			.library_line = where.library_line}};
	code = encoder_add_meta(announce->encoder, &meta);
	if (code == 0)
		announce->places[id] = announce->frame;
	return code;
}

static int announce_place_of(struct announce *announce, uint32_t id)
{
	if (id == 0 || id >= INTERN_ID_LIMIT || announce->places[id] == announce->frame)
		return 0;
	return announce_place(announce, id);
}

static bool has_stack(const struct announce *announce, uint32_t id)
{
	return id == 0 || id > DEFINE_STACK_LIMIT || announce->stacks[id] == announce->frame ||
	       define_stack_at(id) == NULL;
}

/* Callers first: what the frame has, it has with all of them, also when there is no more room. */
static int announce_stack(struct announce *announce, uint32_t id)
{
	while (!has_stack(announce, id)) {
		uint32_t outer = id;
		while (!has_stack(announce, define_stack_at(outer)->caller))
			outer = define_stack_at(outer)->caller;
		const struct live_stack *stack = define_stack_at(outer);
		struct meta meta = {.kind = META_STACK,
			.u.stack = {.id = outer, .place = stack->place, .caller = stack->caller}};
		int code = announce_place_of(announce, stack->place);
		if (code == 0)
			code = encoder_add_meta(announce->encoder, &meta);
		if (code < 0)
			return code;
		announce->stacks[outer] = announce->frame;
	}
	return 0;
}

static int announce_call(struct announce *announce, unsigned id)
{
	struct collector_call call = announce->call_of(id);
	struct meta meta = {.kind = META_CALL,
		.u.call = {.id = id, .name = call.name, .library = call.library}};
	int code = encoder_add_meta(announce->encoder, &meta);
	if (code == 0)
		announce->calls[id] = announce->frame;
	return code;
}

int announce_record(struct announce *announce, const struct record *record)
{
	int code = 0;
	unsigned kind = record->kind < RECORD_KIND_LIMIT ? record->kind : RECORD_NONE;
	unsigned call = record->call;
	if (call != 0 && call < announce->call_count && announce->calls[call] != announce->frame)
		code = announce_call(announce, call);
	if (code == 0 && announce->kinds[kind].has_place)
		code = announce_place_of(announce, record->place);
	/* maybe of no event's own: what an operator calls may have no line, or none is recorded */
	if (code == 0 && kind == RECORD_OP)
		code = announce_place_of(announce, record_OP_line(record));
	if (code == 0 && kind == RECORD_STACK)
		code = announce_stack(announce, record_STACK_stack(record));
	for (unsigned i = 0; i < announce->kinds[kind].count && code == 0; i++) {
		uint32_t id;
		memcpy(&id, (const char *)record + announce->kinds[kind].offsets[i], sizeof(id));
		code = announce_name(announce, id);
	}
	return code;
}

int announce_thread(struct announce *announce, const struct ring *ring, unsigned index)
{
	if (announce->rings[index] == announce->frame)
		return 0;
	char name[sizeof(ring->shared->name) + 1] = "";
	memcpy(name, ring->shared->name, sizeof(ring->shared->name));
	struct meta meta = {.kind = META_THREAD,
		.u.thread = {.id = ring->thread, .tid = ring->shared->tid, .name = name}};
	int code = encoder_add_meta(announce->encoder, &meta);
	if (code == 0)
		announce->rings[index] = announce->frame;
	return code;
}

void announce_forget_thread(struct announce *announce, unsigned index)
{
	announce->rings[index] = 0;
}
