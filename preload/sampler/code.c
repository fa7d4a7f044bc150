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
#define COUNT_AT       0  /* of an object: its references; see is_alive() */
#define TYPE_AT        8  /* of an object: its type */
#define SIZE_AT        16 /* of an object of variable size: its length */

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
static char table_copy[TABLE_BYTES + CODE_BYTES + sizeof(struct contents) + TABLE_BYTES];

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

/*
 * Whether it is there, by its references: none while it is taken apart; and freed memory has in
 * their place the address of the next that is free, above 4 GB, with all else as it was. Python's
 * own allocator does that; malloc() overwrites the type. From 3.14 on the top 16 bits are flags.
 */
static bool is_alive(const char *copy)
{
	uint64_t count;
	memcpy(&count, copy + COUNT_AT, sizeof(count));
	return (uint32_t)count != 0 && (count >> 32 & 0xffff) == 0;
}

static bool is_living(const char *copy, const void *type)
{
	return is_alive(copy) && pointer_at(copy, TYPE_AT) == type;
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

#define CONTENTS_PIECES 3u

/* Pieces that make a struct contents, of texts of which something is known. */
static void ask_contents(const struct python_layout *layout, const struct parts *parts,
	const struct contents *old, struct peek_piece ret_pieces[CONTENTS_PIECES])
{
	uintptr_t file = (uintptr_t)parts->file;
	uintptr_t tail = file + layout->text_ascii + old->length - sizeof(old->tail);
	ret_pieces[0] = (struct peek_piece){(void *)(file + layout->text_length), 8};
	ret_pieces[1] = (struct peek_piece){(void *)tail, 8};
	ret_pieces[2] = (struct peek_piece){parts->name + PYTHON_TEXT_HASH, 8};
}

static bool read_code(const struct chain_source *source, const char *code)
{
	return read_one(source, code, code_bytes(source->layout), code_copy) &&
	       is_living(code_copy, frameworks.python_code_type);
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
		!is_living(ret_copy, frameworks.python_text_type))
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
	memcpy(&contents.hash, name_copy + PYTHON_TEXT_HASH, sizeof(contents.hash));
	memcpy(&contents.tail,
		file_copy + layout->text_ascii + contents.length - sizeof(contents.tail),
		sizeof(contents.tail));
	return contents;
}

/* A copy of the code object and of the contents of its texts says what is known of it. */
static bool says(const struct python_layout *layout, const char *copy, const struct known *known)
{
	struct parts parts;
	memcpy(code_copy, copy, code_bytes(layout));
	take_parts(layout, &parts);
	return is_living(code_copy, frameworks.python_code_type) &&
	       memcmp(&parts, &known->parts, sizeof(parts)) == 0 &&
	       memcmp(copy + code_bytes(layout), &known->contents, sizeof(known->contents)) == 0;
}

/* All that was copied was of one object: it says the same afterwards. */
static bool is_one(const struct chain_source *source, const char *code, const struct known *known)
{
	struct peek_piece pieces[1 + CONTENTS_PIECES] = {{code, code_bytes(source->layout)}};
	char copy[CODE_BYTES + sizeof(struct contents)];
	ask_contents(source->layout, &known->parts, &known->contents, pieces + 1);
	return source->read(pieces, 1 + CONTENTS_PIECES, copy) == 1 + CONTENTS_PIECES &&
	       says(source->layout, copy, known);
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
 * The table is read before and after the code object that has it, all as soon after one another
 * as peek_pieces() can: where functions are made and freed in turn, all may lie where they lay one
 * turn ago.
 */
static bool read_table(
	const struct chain_source *source, const char *code, const struct known *known)
{
	const struct python_layout *layout = source->layout;
	const struct peek_piece table = {known->parts.table, known->table_bytes};
	struct peek_piece pieces[3 + CONTENTS_PIECES] = {table, {code, code_bytes(layout)}};
	const char *copy = table_copy + known->table_bytes;
	const char *again = copy + code_bytes(layout) + sizeof(known->contents);
	unsigned count = 2 + CONTENTS_PIECES;
	uint64_t size;
	ask_contents(layout, &known->parts, &known->contents, pieces + 2);
	pieces[count++] = table;
	if (source->read(pieces, count, table_copy) != count)
		return false;
	memcpy(&size, table_copy + layout->bytes_size, sizeof(size));
	return says(layout, copy, known) && is_living(table_copy, frameworks.python_bytes_type) &&
	       layout->bytes_data + size == known->table_bytes &&
	       memcmp(table_copy, again, known->table_bytes) == 0;
}

/* The line of a frame, whose code object is known: if the frame, which keeps it, is still there. */
static bool find_line(const struct chain_source *source, const struct chain_frame *frame,
	const struct known *known, uint32_t *ret_line)
{
	const struct python_layout *layout = source->layout;
	if (!read_table(source, frame->code, known) || !chain_has(source, frame))
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
	struct known *known = &codes[hash_pointer_bits(code, CODE_BITS)];
	if (known->code == code && known->generation == generation && is_one(source, code, known))
		return known;
	return read_code(source, code) && learn(source, code, known) ? known : NULL;
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
