/* SPDX-License-Identifier: MIT */
#include "analyzer/export/body.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/base/hash.h"
#include "collector/format/fields.h"

#define CACHE_SLOTS 32768u /* power of two */

/* Text of an event from its name on, without the closing braces. One cache line. */
struct tail {
	alignas(64) uint64_t key[BODY_KEY_WORDS]; /* of the record, columns are 0 */
	char *text;
	uint32_t size, capacity;
};

struct body {
	struct field_names names;
	struct body_source source;
	body_make *make;
	struct out scratch; /* a text is made here */
	struct tail *tails;
	const struct record_field *columns[RECORD_KIND_LIMIT][BODY_COLUMNS];
	uint64_t repeats[RECORD_KIND_LIMIT][BODY_KEY_WORDS]; /* bits of the key: all but columns */
};

_Static_assert(sizeof(struct tail) == 64, "a look costs one cache line");
_Static_assert(offsetof(struct record, kind) == 16, "the key begins behind the times");

/* Which fields change from event to event, by the record table. */
static void find_columns(struct body *body)
{
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++) {
		unsigned count = 0;
		struct record all;
		memset(&all, 0xff, sizeof(all));
		for (unsigned i = 0; i < record_kinds[kind].field_count; i++) {
			const struct record_field *field = &record_kinds[kind].fields[i];
			if (field->where != FIELD_COLUMN || count + 1 == BODY_COLUMNS)
				continue;
			body->columns[kind][count++] = field;
			record_set(&all, field, 0);
		}
		memcpy(body->repeats[kind], &all.kind, sizeof(body->repeats[kind]));
	}
}

struct body *body_new(enum demangle_how how, body_make *make, void *context)
{
	struct body *body = calloc(1, sizeof(*body));
	if (body == NULL)
		return NULL;
	body->names.cache.how = how;
	body->make = make;
	body->source = (struct body_source){.names = &body->names, .context = context};
	body->tails = aligned_alloc(64, CACHE_SLOTS * sizeof(*body->tails));
	if (body->tails != NULL)
		memset(body->tails, 0, CACHE_SLOTS * sizeof(*body->tails));
	if (body->tails == NULL || out_open_memory(&body->scratch) < 0) {
		body_free(body);
		return NULL;
	}
	find_columns(body);
	return body;
}

void body_free(struct body *body)
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

void body_begin_file(struct body *body, const struct reader *reader, const struct remarks *remarks)
{
	body->source.remarks = remarks;
	body->names.reader = reader;
	for (size_t i = 0; i < CACHE_SLOTS; i++)
		body->tails[i].size = 0; /* ids mean something else in every file */
}

void body_end_file(struct body *body)
{
	demangle_cache_release(&body->names.cache);
	body->names.reader = NULL;
	body->source.remarks = NULL;
}

static uint32_t slot_of(const uint64_t *key)
{
	return (uint32_t)(hash_words(key, BODY_KEY_WORDS) >> 32) & (CACHE_SLOTS - 1);
}

/* Keep what is in scratch; without memory it is made again next time. */
static void keep_tail(struct body *body, struct tail *tail, const uint64_t *key)
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

static inline bool is_tail(const struct tail *tail, const uint64_t *key)
{
	uint64_t difference = 0;
#pragma GCC unroll 6
	for (unsigned i = 0; i < BODY_KEY_WORDS; i++)
		difference |= tail->key[i] ^ key[i];
	return difference == 0 && tail->size != 0;
}

/* The slot that a key may take: the free one of two, else the first. */
static struct tail *free_tail(struct body *body, const struct body_prepared *prepared)
{
	struct tail *first = &body->tails[prepared->slot];
	struct tail *second = &body->tails[prepared->slot ^ 1];
	return first->size != 0 && second->size == 0 ? second : first;
}

/* Work out the key some events ahead, so that its slot is in the cache when it is needed. */
void body_prepare(
	const struct body *body, const struct record *record, struct body_prepared *ret_prepared)
{
	uint64_t words[BODY_KEY_WORDS];
	const uint64_t *repeats = body->repeats[record->kind];
	memcpy(words, &record->kind, sizeof(words));
#pragma GCC unroll 6
	for (unsigned i = 0; i < BODY_KEY_WORDS; i++)
		ret_prepared->key[i] = words[i] & repeats[i];
	ret_prepared->slot = slot_of(ret_prepared->key);
	__builtin_prefetch(&body->tails[ret_prepared->slot]);
}

void body_fetch(const struct body *body, const struct body_prepared *prepared)
{
	uintptr_t text = (uintptr_t)body->tails[prepared->slot].text;
#pragma GCC unroll 4
	for (unsigned at = 0; at < 256; at += 64) /* beyond its end it does no harm */
		__builtin_prefetch((const void *)(text + at));
}

const char *body_get(
	struct body *body, const struct body_prepared *prepared, bool on_device, size_t *ret_size)
{
	struct tail *tail = &body->tails[prepared->slot];
	if (!is_tail(tail, prepared->key) && tail->size != 0)
		tail = &body->tails[prepared->slot ^ 1];
	if (is_tail(tail, prepared->key)) {
		*ret_size = tail->size;
		return tail->text;
	}
	struct record same = {0};
	memcpy(&same.kind, prepared->key, sizeof(prepared->key));
	body->scratch.used = 0;
	body->make(&body->source, &body->scratch, &same, on_device);
	if (body->scratch.used <= BODY_COPY_LIMIT)
		keep_tail(body, free_tail(body, prepared), prepared->key);
	*ret_size = body->scratch.used;
	return body->scratch.buffer;
}

const struct record_field *const *body_columns(const struct body *body, unsigned kind)
{
	return body->columns[kind];
}

/* The second and the third of three: grid_y, block_z. */
static bool is_further_dimension(const struct record_field *field)
{
	size_t length = strlen(field->name);
	return length > 2 && field->name[length - 2] == '_' &&
	       (field->name[length - 1] == 'y' || field->name[length - 1] == 'z');
}

bool body_says(unsigned kind, const struct record_field *field, uint64_t value)
{
	if (value == 1 && is_further_dimension(field))
		return false;
	return value != 0 || field->type == FIELD_HANDLE ||
	       field_value_name(kind, field->name, value) != NULL;
}

const char *body_title(
	const struct body_source *source, const struct record *record, char text[BODY_TITLE_BYTES])
{
	if (record->kind == RECORD_DEVICE_COPY) {
		const char *direction =
			field_value_name(record->kind, "direction", record_direction(record));
		snprintf(text, BODY_TITLE_BYTES, "copy %s", direction != NULL ? direction : "");
		return text;
	}
	if (record->kind == RECORD_DEVICE_KERNEL && record_DEVICE_KERNEL_kernel(record) == 0 &&
		record_device_graph(record) != 0) {
		snprintf(text, BODY_TITLE_BYTES, "graph %" PRIu32 " as a whole",
			record_device_graph(record));
		return text;
	}
	return field_title(source->names, record);
}
