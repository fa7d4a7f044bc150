/* SPDX-License-Identifier: MIT */
#include "preload/sampler/code.h"

#include <string.h>

#include "collector/base/hash.h"
#include "preload/frameworks/frameworks.h"
#include "preload/python/line.h"

#define CODE_BITS      9
#define CODE_COUNT     (1u << CODE_BITS)
#define POSITION_BITS  11
#define POSITION_COUNT (1u << POSITION_BITS)
#define CODE_BYTES     256u
#define TEXT_BYTES     (32u << 10)
#define TABLE_BYTES    (256u << 10)
#define UNITS_LIMIT    (64 << 20)
#define TYPE_AT        8  /* of an object: its type */
#define SIZE_AT        16 /* of an object of variable size: its length */
#define HASH_AT        24 /* of a str: its hash */

/* What a code object refers to. */
struct parts {
	const char *file, *name, *table;
	int64_t line;
};

/* Texts are compared by content, as python.c does: their addresses are used again. */
struct contents {
	uint64_t length, tail; /* of the file's name */
	uint64_t hash;         /* of the function's name */
};

/* What is known of a code object. */
struct known {
	const char *code; /* NULL: nothing */
	struct parts parts;
	struct contents contents;
	uint64_t table_bytes; /* with its header */
	uint64_t number;      /* another one each time that something becomes known */
	struct site_names names;
	uint32_t generation;
};

/* What is known of a position in it. */
struct position {
	uint64_t number; /* of the code object; 0: free */
	uint64_t at;
	struct site_ids ids;
};

static struct known codes[CODE_COUNT];
static struct position positions[POSITION_COUNT];
static uint64_t last_number;
static uint32_t generation = 1; /* another one in a forked child */

/* Copies of the objects of one position. */
static char code_copy[CODE_BYTES];
static char file_copy[TEXT_BYTES], name_copy[TEXT_BYTES];
static char table_copy[TABLE_BYTES], table_again[TABLE_BYTES];

static bool read_one(
	const struct chain_source *source, const void *from, size_t size, void *ret_bytes)
{
	const struct peek_piece piece = {from, size};
	return source->read(&piece, 1, ret_bytes) == 1;
}

static const char *pointer_at(const char *base, size_t offset)
{
	const char *pointer;
	memcpy(&pointer, base + offset, sizeof(pointer));
	return pointer;
}

/* Bytes of a code object before its instructions. */
static size_t code_bytes(const struct python_layout *layout)
{
	size_t size = layout->code_start;
	if (size < layout->code_table + 8u)
		size = layout->code_table + 8u;
	return size < CODE_BYTES ? size : CODE_BYTES;
}

static void take_parts(const struct python_layout *layout, struct parts *ret_parts)
{
	ret_parts->file = pointer_at(code_copy, layout->code_file);
	ret_parts->name = pointer_at(code_copy, layout->code_name);
	ret_parts->table = pointer_at(code_copy, layout->code_table);
	int32_t line;
	memcpy(&line, code_copy + layout->code_line, sizeof(line));
	ret_parts->line = line;
}

/* The code object, and the contents of its texts if parts says where to look for them. */
static bool read_code(const struct chain_source *source, const char *code,
	const struct parts *parts, const struct contents *old, struct contents *ret_contents)
{
	const struct python_layout *layout = source->layout;
	struct peek_piece pieces[4] = {{code, code_bytes(layout)}};
	char bytes[CODE_BYTES + sizeof(*ret_contents)];
	unsigned count = 1;
	if (parts->file != NULL) {
		uintptr_t file = (uintptr_t)parts->file;
		uintptr_t tail = file + layout->text_ascii + old->length - sizeof(old->tail);
		pieces[count++] = (struct peek_piece){(void *)(file + layout->text_length), 8};
		pieces[count++] = (struct peek_piece){(void *)tail, 8};
		pieces[count++] = (struct peek_piece){parts->name + HASH_AT, 8};
	}
	if (source->read(pieces, count, bytes) != count)
		return false;
	memcpy(code_copy, bytes, pieces[0].size);
	if (count > 1)
		memcpy(ret_contents, bytes + pieces[0].size, sizeof(*ret_contents));
	return pointer_at(code_copy, TYPE_AT) == frameworks.python_code_type;
}

static bool is_inside(const struct python_layout *layout, const struct chain_frame *frame)
{
	if (layout->frame_owner == PYTHON_NO_FIELD)
		return (int32_t)frame->at >= -1 && (int32_t)frame->at < UNITS_LIMIT;
	int64_t units;
	memcpy(&units, code_copy + SIZE_AT, sizeof(units));
	int64_t offset = (int64_t)(frame->at - (uint64_t)(uintptr_t)frame->code) -
			 (int64_t)layout->code_start;
	return units > 0 && units < UNITS_LIMIT && offset >= -2 && offset < units * 2 &&
	       offset % 2 == 0;
}

/* A copy of a str object; false for what is none, or longer than the name of any file. */
static bool copy_text(const struct chain_source *source, const char *object, char *ret_copy)
{
	const struct python_layout *layout = source->layout;
	if (object == NULL || !read_one(source, object, PYTHON_TEXT_HEADER, ret_copy) ||
		pointer_at(ret_copy, TYPE_AT) != frameworks.python_text_type)
		return false;
	size_t size = python_text_bytes(layout, ret_copy);
	if (size < PYTHON_TEXT_HEADER || size > TEXT_BYTES)
		return false;
	return read_one(source, object + PYTHON_TEXT_HEADER, size - PYTHON_TEXT_HEADER,
		ret_copy + PYTHON_TEXT_HEADER);
}

/* What read_code() says of the texts that were copied. */
static struct contents contents_of_copies(const struct python_layout *layout)
{
	struct contents contents;
	memcpy(&contents.length, file_copy + layout->text_length, sizeof(contents.length));
	memcpy(&contents.hash, name_copy + HASH_AT, sizeof(contents.hash));
	memcpy(&contents.tail,
		file_copy + layout->text_ascii + contents.length - sizeof(contents.tail),
		sizeof(contents.tail));
	return contents;
}

/* All that was copied was of one object: it says the same afterwards. */
static bool is_one(const struct chain_source *source, const char *code, const struct known *known)
{
	struct parts again;
	struct contents found;
	if (!read_code(source, code, &known->parts, &known->contents, &found))
		return false;
	take_parts(source->layout, &again);
	return memcmp(&again, &known->parts, sizeof(again)) == 0 &&
	       memcmp(&found, &known->contents, sizeof(found)) == 0;
}

/* The code object's texts, and how long its table is. code_copy is of it. */
static bool learn(const struct chain_source *source, const char *code, struct known *known)
{
	const struct python_layout *layout = source->layout;
	uint64_t size;
	*known = (struct known){.code = NULL};
	take_parts(layout, &known->parts);
	if (!copy_text(source, known->parts.file, file_copy) ||
		!copy_text(source, known->parts.name, name_copy) || known->parts.table == NULL ||
		!read_one(source, known->parts.table, layout->bytes_data, table_copy))
		return false;
	memcpy(&size, table_copy + layout->bytes_size, sizeof(size));
	if (size > TABLE_BYTES - layout->bytes_data)
		return false;
	known->contents = contents_of_copies(layout);
	known->table_bytes = layout->bytes_data + size;
	if (!is_one(source, code, known))
		return false;
	const struct site_source texts = {.file = file_copy, .name = name_copy};
	known->names = site_names(layout, &texts);
	known->number = ++last_number;
	known->generation = generation;
	known->code = code;
	return true;
}

/*
 * The line of a frame, whose code object is known and was just read. The table is of it as well if
 * the frame, which keeps it alive, is still there and the code object still says the same; and the
 * table too: where functions are made and freed in turn, all may lie where they lay one turn ago.
 */
static bool find_line(const struct chain_source *source, const struct chain_frame *frame,
	const struct known *known, uint32_t *ret_line)
{
	const struct python_layout *layout = source->layout;
	uint64_t size;
	if (!read_one(source, known->parts.table, known->table_bytes, table_copy) ||
		pointer_at(table_copy, TYPE_AT) != frameworks.python_bytes_type)
		return false;
	memcpy(&size, table_copy + layout->bytes_size, sizeof(size));
	if (layout->bytes_data + size != known->table_bytes || !chain_has(source, frame) ||
		!is_one(source, frame->code, known) ||
		!read_one(source, known->parts.table, known->table_bytes, table_again) ||
		memcmp(table_again, table_copy, known->table_bytes) != 0)
		return false;
	const struct site_source site = {.code = code_copy,
		.table = table_copy,
		.offset = site_offset(layout, frame->code, frame->at),
		.begun = frame->owner == PYTHON_OWNED_BY_GENERATOR};
	*ret_line = site_line(layout, &site);
	return true;
}

void code_after_fork(void)
{
	generation++;
}

/* What is known of the frame's code object, read now; NULL: it is none. */
static const struct known *known_of(const struct chain_source *source, const char *code)
{
	static const struct parts unknown;
	struct known *known = &codes[hash_pointer_bits(code, CODE_BITS)];
	struct contents contents = {0};
	if (known->code == code && known->generation == generation && is_one(source, code, known))
		return known;
	if (!read_code(source, code, &unknown, &contents, &contents) || !learn(source, code, known))
		return NULL;
	return known;
}

bool code_ids(const struct chain_source *source, const struct chain_frame *frame,
	struct site_ids *ret_ids)
{
	const struct known *known = known_of(source, frame->code);
	if (known == NULL || !is_inside(source->layout, frame))
		return false;
	uint64_t at = frame->at << 3 | frame->owner;
	struct position *position = &positions[hash_bits(known->number << 32 ^ at, POSITION_BITS)];
	if (position->number != known->number || position->at != at) {
		uint32_t line;
		if (!find_line(source, frame, known, &line))
			return false;
		*position = (struct position){known->number, at, site_ids(&known->names, line)};
	}
	*ret_ids = position->ids;
	return true;
}
