/* SPDX-License-Identifier: MIT */
#include "analyzer/read/definitions.h"

#include <errno.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (64u << 10)

struct definitions_chunk {
	struct definitions_chunk *next;
	size_t used, capacity;
	alignas(16) char bytes[];
};

void definitions_release(struct definitions *definitions)
{
	for (struct definitions_chunk *chunk = definitions->chunks; chunk != NULL;) {
		struct definitions_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
	idmap_release(&definitions->names);
	idmap_release(&definitions->places);
	idmap_release(&definitions->calls);
	idmap_release(&definitions->threads);
	idmap_release(&definitions->stacks);
	idmap_release(&definitions->paths);
	sources_release(&definitions->sources);
	free(definitions->run_texts);
	*definitions = (struct definitions){0};
}

/*
 * size bytes that stay; NULL and *ret_err when there are none. All that becomes known begins here.
 */
static void *reserve(struct definitions *definitions, size_t size, int *ret_err)
{
	if (definitions->changing != NULL)
		definitions->changing(definitions->context);
	size = (size + 7) & ~(size_t)7;
	struct definitions_chunk *chunk = definitions->chunks;
	if (chunk == NULL || chunk->capacity - chunk->used < size) {
		size_t capacity = size > CHUNK_BYTES ? size : CHUNK_BYTES;
		if (definitions->bytes + capacity > DEFINITIONS_BYTES_LIMIT) {
			*ret_err = -ERR_TOO_LARGE;
			return NULL;
		}
		/* a new one in place of a larger: what was handed out must not move */
		chunk = malloc(sizeof(*chunk) + capacity);
		if (chunk == NULL) {
			*ret_err = -ENOMEM;
			return NULL;
		}
		*chunk = (struct definitions_chunk){definitions->chunks, 0, capacity};
		definitions->chunks = chunk;
		definitions->bytes += capacity;
	}
	void *room = chunk->bytes + chunk->used;
	chunk->used += size;
	return room;
}

static char *keep_text(struct definitions *definitions, const char *text, int *ret_err)
{
	size_t size = strlen(text) + 1;
	char *copy = reserve(definitions, size, ret_err);
	if (copy != NULL)
		memcpy(copy, text, size);
	return copy;
}

static int add_name(struct definitions *definitions, const struct meta_NAME *name)
{
	int err = 0;
	const char *path = idmap_get(&definitions->paths, (uint32_t)name->id);
	const char *old = path != NULL ? path : idmap_get(&definitions->names, (uint32_t)name->id);
	if (old != NULL && strcmp(old, name->text) == 0)
		return 0;
	char *text = keep_text(definitions, name->text, &err);
	return text == NULL ? err : idmap_set(&definitions->names, (uint32_t)name->id, text);
}

/* The name is one of a file: from now on as it is to be shown. */
static int show_path(struct definitions *definitions, uint64_t id)
{
	char *text = idmap_get(&definitions->names, (uint32_t)id);
	if (id == 0 || text == NULL || definitions->sources.root == NULL)
		return 0;
	const char *shown = sources_path(&definitions->sources, text);
	if (shown == text)
		return 0;
	int err = idmap_set(&definitions->paths, (uint32_t)id, text);
	return err < 0 ? err : idmap_set(&definitions->names, (uint32_t)id, text + (shown - text));
}

static int show_paths(struct definitions *definitions, const struct meta_PLACE *place)
{
	int err = show_path(definitions, place->file);
	if (err == 0)
		err = show_path(definitions, place->user_file);
	return err < 0 ? err : show_path(definitions, place->library_file);
}

int definitions_set_root(struct definitions *definitions, const char *folder)
{
	int err = sources_set_root(&definitions->sources, folder);
	/* those of a live file are there from the start */
	for (size_t i = 0; i < definitions->places.capacity && err == 0; i++)
		if (definitions->places.entries[i].value != NULL)
			err = show_paths(definitions, definitions->places.entries[i].value);
	return err;
}

static int add_place(struct definitions *definitions, const struct meta_PLACE *place)
{
	int err = 0;
	const struct meta_PLACE *old = idmap_get(&definitions->places, (uint32_t)place->id);
	if (old != NULL && old->line == place->line && old->user_line == place->user_line &&
		old->file == place->file && old->function == place->function &&
		old->user_file == place->user_file && old->user_function == place->user_function &&
		old->address == place->address && old->build_id == place->build_id &&
		old->library_file == place->library_file &&
		old->library_function == place->library_function &&
		old->library_line == place->library_line)
		return 0;
	struct meta_PLACE *copy = reserve(definitions, sizeof(*copy), &err);
	if (copy == NULL || (err = show_paths(definitions, place)) < 0)
		return err;
	*copy = *place;
	/* a handful of words: no need to copy what a writer may call it */
	copy->language = strcmp(place->language, "python") == 0 ? "python" : "native";
	return idmap_set(&definitions->places, (uint32_t)place->id, copy);
}

static int add_call(struct definitions *definitions, const struct meta_CALL *call)
{
	int err = 0;
	const struct meta_CALL *old = idmap_get(&definitions->calls, (uint32_t)call->id);
	if (old != NULL && strcmp(old->name, call->name) == 0 &&
		strcmp(old->library, call->library) == 0)
		return 0;
	struct meta_CALL *copy = reserve(definitions, sizeof(*copy), &err);
	if (copy == NULL)
		return err;
	*copy = (struct meta_CALL){.id = call->id,
		.name = keep_text(definitions, call->name, &err),
		.library = keep_text(definitions, call->library, &err)};
	return err < 0 ? err : idmap_set(&definitions->calls, (uint32_t)call->id, copy);
}

static int add_thread(struct definitions *definitions, const struct meta_THREAD *thread)
{
	int err = 0;
	const struct meta_THREAD *old = idmap_get(&definitions->threads, (uint32_t)thread->id);
	if (old != NULL && old->tid == thread->tid && strcmp(old->name, thread->name) == 0)
		return 0;
	struct meta_THREAD *copy = reserve(definitions, sizeof(*copy), &err);
	if (copy == NULL)
		return err;
	*copy = (struct meta_THREAD){.id = thread->id,
		.tid = thread->tid,
		.name = keep_text(definitions, thread->name, &err)};
	return err < 0 ? err : idmap_set(&definitions->threads, (uint32_t)thread->id, copy);
}

static int add_stack(struct definitions *definitions, const struct meta_STACK *stack)
{
	int err = 0;
	const struct meta_STACK *old = idmap_get(&definitions->stacks, (uint32_t)stack->id);
	if (old != NULL && old->place == stack->place && old->caller == stack->caller)
		return 0;
	struct meta_STACK *copy = reserve(definitions, sizeof(*copy), &err);
	if (copy == NULL)
		return err;
	*copy = *stack;
	return idmap_set(&definitions->stacks, (uint32_t)stack->id, copy);
}

int definitions_add(struct definitions *definitions, const struct meta *meta)
{
	switch (meta->kind) {
	case META_NAME:
		return add_name(definitions, &meta->u.name);
	case META_PLACE:
		return add_place(definitions, &meta->u.place);
	case META_CALL:
		return add_call(definitions, &meta->u.call);
	case META_THREAD:
		return add_thread(definitions, &meta->u.thread);
	case META_STACK:
		return add_stack(definitions, &meta->u.stack);
	case META_RUN:
		definitions->sources.begin_ns = meta->u.run.begin_realtime_ns;
		return 0;
	case META_LINES:
		return sources_add(&definitions->sources, &meta->u.lines);
	default:
		return 0;
	}
}

static bool is_known(const struct definitions *definitions, const struct meta *meta)
{
	switch (meta->kind) {
	case META_NAME:
		return idmap_get(&definitions->names, (uint32_t)meta->u.name.id) != NULL;
	case META_PLACE:
		return idmap_get(&definitions->places, (uint32_t)meta->u.place.id) != NULL;
	case META_CALL:
		return idmap_get(&definitions->calls, (uint32_t)meta->u.call.id) != NULL;
	case META_THREAD:
		return idmap_get(&definitions->threads, (uint32_t)meta->u.thread.id) != NULL;
	case META_STACK:
		return idmap_get(&definitions->stacks, (uint32_t)meta->u.stack.id) != NULL;
	default:
		return true;
	}
}

int definitions_add_missing(struct definitions *definitions, const struct meta *meta)
{
	return is_known(definitions, meta) ? 0 : definitions_add(definitions, meta);
}

const char *definitions_name(const struct definitions *definitions, uint32_t id)
{
	return idmap_get(&definitions->names, id);
}

const struct meta_PLACE *definitions_place(const struct definitions *definitions, uint32_t id)
{
	return idmap_get(&definitions->places, id);
}

const struct meta_CALL *definitions_call(const struct definitions *definitions, uint32_t id)
{
	return idmap_get(&definitions->calls, id);
}

const struct meta_THREAD *definitions_thread(const struct definitions *definitions, uint32_t id)
{
	return idmap_get(&definitions->threads, id);
}

const struct meta_STACK *definitions_stack(const struct definitions *definitions, uint32_t id)
{
	return idmap_get(&definitions->stacks, id);
}

/* Every text of meta.def, with the kind it belongs to: those of a run are among them. */
static const struct {
	enum meta_kind kind;
	size_t offset;
} texts[] = {
#define META_TEXT(kind, name) {META_##kind, offsetof(struct meta_##kind, name)},
#include "collector/format/meta.def"
};
#define TEXT_COUNT (sizeof(texts) / sizeof(texts[0]))

static const char **text_at(struct meta_RUN *run, size_t index)
{
	return (const char **)((char *)run + texts[index].offset);
}

int definitions_set_run(struct definitions *definitions, const struct meta_RUN *run)
{
	struct meta_RUN copy = *run;
	size_t size = 0;
	for (size_t i = 0; i < TEXT_COUNT; i++)
		if (texts[i].kind == META_RUN)
			size += strlen(*text_at(&copy, i)) + 1;
	char *room = malloc(size);
	if (room == NULL)
		return -ENOMEM;
	free(definitions->run_texts);
	definitions->run_texts = room;
	for (size_t i = 0; i < TEXT_COUNT; i++) {
		if (texts[i].kind != META_RUN)
			continue;
		const char **text = text_at(&copy, i);
		size_t length = strlen(*text) + 1;
		*text = memcpy(room, *text, length);
		room += length;
	}
	definitions->run = copy;
	definitions->has_run = true;
	return 0;
}
