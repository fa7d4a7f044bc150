/* SPDX-License-Identifier: MIT */
#include "analyzer/export/forms/perfetto_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/export/forms/proto.h"
#include "analyzer/text/safe.h"
#include "collector/base/hash.h"

#define FIRST_CAPACITY 4096u

int perfetto_names_init(struct perfetto_names *names, struct out *out)
{
	*names = (struct perfetto_names){.out = out, .capacity = FIRST_CAPACITY};
	names->slots = calloc(names->capacity, sizeof(*names->slots));
	names->numbers = calloc(names->capacity, sizeof(*names->numbers));
	return names->slots != NULL && names->numbers != NULL ? 0 : -ENOMEM;
}

void perfetto_names_release(struct perfetto_names *names)
{
	free(names->slots);
	free(names->numbers);
	*names = (struct perfetto_names){0};
}

void perfetto_packet(struct out *out, const char *bytes, size_t size)
{
	char head[12];
	char *end = proto_varint(proto_tag(head, 1, PROTO_BYTES), size);
	out_bytes(out, head, (size_t)(end - head));
	out_bytes(out, bytes, size);
}

static uint32_t *find(struct perfetto_names *names, uint64_t hash)
{
	for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
		uint32_t slot = at & (names->capacity - 1);
		if (names->slots[slot] == hash || names->slots[slot] == 0) {
			names->slots[slot] = hash;
			return &names->numbers[slot];
		}
	}
}

/* Room for one more. */
static bool grow(struct perfetto_names *names)
{
	if (names->count < names->capacity / 2)
		return true;
	struct perfetto_names larger = *names;
	larger.capacity = names->capacity * 2;
	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	larger.numbers = calloc(larger.capacity, sizeof(*larger.numbers));
	if (larger.slots == NULL || larger.numbers == NULL) {
		free(larger.slots);
		free(larger.numbers);
		return false;
	}
	for (uint32_t i = 0; i < names->capacity; i++)
		if (names->slots[i] != 0)
			*find(&larger, names->slots[i]) = names->numbers[i];
	free(names->slots);
	free(names->numbers);
	*names = larger;
	return true;
}

/* A packet that gives the entry a number; its other fields are at entry. */
static void define(struct perfetto_names *names, enum perfetto_kind kind, uint32_t number,
	const char *entry, size_t size)
{
	char bytes[3 * PERFETTO_TEXT_LIMIT + 128];
	char *cursor = proto_u64(bytes, 10, PERFETTO_SEQUENCE);
	cursor = proto_u64(cursor, 13, 2); /* needs what came before */
	char *data = proto_begin(cursor, 12);
	char *one = proto_begin(data, kind);
	cursor = proto_u64(one, 1, number);
	memcpy(cursor, entry, size);
	cursor = proto_end(data, proto_end(one, cursor + size));
	perfetto_packet(names->out, bytes, (size_t)(cursor - bytes));
}

/* 0: no memory; else the number, *ret_new: it was not known. */
static uint32_t number_of(struct perfetto_names *names, uint64_t hash, bool *ret_new)
{
	*ret_new = false;
	if (!grow(names))
		return 0;
	uint32_t *number = find(names, hash != 0 ? hash : 1);
	if (*number == 0) {
		*number = ++names->count;
		*ret_new = true;
	}
	return *number;
}

uint32_t perfetto_name(struct perfetto_names *names, enum perfetto_kind kind, const char *text)
{
	char copy[PERFETTO_TEXT_LIMIT], entry[PERFETTO_TEXT_LIMIT + 16];
	bool is_new;
	uint32_t number = number_of(names, hash_text(kind, text), &is_new);
	if (is_new) {
		size_t size = safe_utf8(text, copy, sizeof(copy));
		char *end = proto_bytes(entry, 2, copy, size);
		define(names, kind, number, entry, (size_t)(end - entry));
	}
	return number;
}

uint32_t perfetto_place(
	struct perfetto_names *names, const char *file, const char *function, uint64_t line)
{
	char copy[PERFETTO_TEXT_LIMIT], entry[2 * PERFETTO_TEXT_LIMIT + 32];
	bool is_new;
	uint64_t hash = hash_text(hash_text(hash_mix(PERFETTO_PLACE, line), file), function);
	uint32_t number = number_of(names, hash, &is_new);
	if (is_new) {
		char *cursor = proto_bytes(entry, 2, copy, safe_utf8(file, copy, sizeof(copy)));
		cursor = proto_bytes(cursor, 3, copy, safe_utf8(function, copy, sizeof(copy)));
		cursor = proto_u64(cursor, 4, line & UINT32_MAX);
		define(names, PERFETTO_PLACE, number, entry, (size_t)(cursor - entry));
	}
	return number;
}
