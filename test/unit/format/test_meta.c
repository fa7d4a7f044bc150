/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/codec/codec.h"
#include "collector/codec/layout.h"
#include "test/unit/format/format_random.h"

static uint8_t buffer[CODEC_FRAME_LIMIT];

enum type {
	NUMBER,
	TEXT
};

/* Every field of meta.def, by its place in the struct. */
static const struct field {
	enum meta_kind kind;
	enum type type;
	size_t offset;
} fields[] = {
#define META_U64(kind, name)  {META_##kind, NUMBER, offsetof(struct meta_##kind, name)},
#define META_I64(kind, name)  {META_##kind, NUMBER, offsetof(struct meta_##kind, name)},
#define META_TEXT(kind, name) {META_##kind, TEXT, offsetof(struct meta_##kind, name)},
#include "collector/format/meta.def"
};
#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

static const char *const texts[] = {"", "a", "cudaLaunchKernel",
	"gr\xc3\xbc\xc3\x9f"
	"e",
	"thirty-two characters, and a bit more of it", "control \x01\x1b[31m \" \\ </script>"};

static struct meta random_meta(uint64_t *seed, enum meta_kind kind)
{
	struct meta meta;
	memset(&meta, 0, sizeof(meta));
	meta.kind = kind;
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		char *at = (char *)&meta.u + fields[i].offset;
		uint64_t number = random_value(seed);
		const char *text = texts[random_next(seed) % 6];
		if (fields[i].kind != kind)
			continue;
		if (fields[i].type == NUMBER)
			memcpy(at, &number, sizeof(number));
		else
			memcpy(at, &text, sizeof(text));
	}
	return meta;
}

static void expect_equal(const struct meta *actual, const struct meta *expected)
{
	cr_assert(eq(int, actual->kind, expected->kind));
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const char *left = (const char *)&actual->u + fields[i].offset;
		const char *right = (const char *)&expected->u + fields[i].offset;
		const char *left_text, *right_text;
		if (fields[i].kind != expected->kind)
			continue;
		if (fields[i].type == NUMBER) {
			cr_assert(memcmp(left, right, sizeof(uint64_t)) == 0, "field %zu", i);
			continue;
		}
		memcpy(&left_text, left, sizeof(left_text));
		memcpy(&right_text, right, sizeof(right_text));
		cr_assert(strcmp(left_text, right_text ? right_text : "") == 0, "field %zu", i);
	}
}

Test(meta, every_kind_comes_back)
{
	uint64_t seed = 1;
	struct encoder *encoder = encoder_new(buffer, sizeof(buffer));
	struct decoder *decoder = decoder_new();
	struct item item;
	for (unsigned round = 0; round < 50; round++)
		for (int kind = 1; kind < META_KIND_COUNT; kind++) {
			struct meta meta = random_meta(&seed, (enum meta_kind)kind);
			encoder_reset(encoder);
			cr_assert(eq(int, encoder_add_meta(encoder, &meta), 0));
			decoder_feed(decoder, buffer, encoder_size(encoder));
			cr_assert(eq(int, decoder_next(decoder, &item, NULL), 0));
			cr_assert(eq(int, item.type, ITEM_META));
			expect_equal(&item.meta, &meta);
		}
	decoder_free(decoder);
	encoder_free(encoder);
}

Test(meta, content_flags_follow_the_table)
{
	struct encoder *encoder = encoder_new(buffer, sizeof(buffer));
	struct meta name = {.kind = META_NAME}, source = {.kind = META_SOURCE},
		    end = {.kind = META_END};
	cr_assert(eq(int, encoder_add_meta(encoder, &name), 0));
	cr_assert(eq(u32, encoder_content(encoder), FRAME_HAS_DEFINITIONS));
	encoder_reset(encoder);
	cr_assert(eq(int, encoder_add_meta(encoder, &source), 0));
	cr_assert(eq(u32, encoder_content(encoder), FRAME_HAS_STATE));
	cr_assert(eq(int, encoder_add_meta(encoder, &end), 0));
	cr_assert(eq(u32, encoder_content(encoder), FRAME_HAS_STATE | FRAME_IS_LAST));
	cr_assert(eq(int, encoder_add_meta(encoder, &(struct meta){.kind = META_NONE}), -EINVAL));
	cr_assert(eq(
		int, encoder_add_meta(encoder, &(struct meta){.kind = META_KIND_COUNT}), -EINVAL));
	encoder_free(encoder);
}

Test(meta, null_texts_are_empty_and_long_ones_are_cut)
{
	struct encoder *encoder = encoder_new(buffer, sizeof(buffer));
	struct decoder *decoder = decoder_new();
	struct item item;
	size_t length = FORMAT_TEXT_LIMIT + 10;
	char *text = malloc(length + 1);
	memset(text, 'x', length);
	text[length] = '\0';
	memcpy(text + FORMAT_TEXT_LIMIT - 1, "\xc3\xbc", 2); /* the limit lies inside a character */
	struct meta name = {.kind = META_NAME, .u.name = {.id = 1, .text = text}};
	struct meta none = {.kind = META_NAME, .u.name = {.id = 2}};
	cr_assert(eq(int, encoder_add_meta(encoder, &name), 0));
	cr_assert(eq(int, encoder_add_meta(encoder, &none), 0));
	decoder_feed(decoder, buffer, encoder_size(encoder));
	cr_assert(eq(int, decoder_next(decoder, &item, NULL), 0));
	cr_assert(eq(sz, strlen(item.meta.u.name.text), FORMAT_TEXT_LIMIT - 1));
	cr_assert(eq(int, decoder_next(decoder, &item, NULL), 0));
	cr_assert(eq(int, strcmp(item.meta.u.name.text, ""), 0));
	free(text);
	decoder_free(decoder);
	encoder_free(encoder);
}

Test(meta, a_full_frame_refuses_without_changing)
{
	static uint8_t small[65536], before[65536];
	uint64_t seed = 3;
	struct encoder *encoder = encoder_new(small, sizeof(small));
	int error = 0;
	size_t size = 0;
	while (error == 0) {
		struct meta run = random_meta(&seed, META_RUN);
		size = encoder_size(encoder);
		memcpy(before, small, size);
		error = encoder_add_meta(encoder, &run);
	}
	cr_assert(eq(int, error, -ENOSPC));
	cr_assert(eq(sz, encoder_size(encoder), size));
	cr_assert(memcmp(before, small, size) == 0);
	encoder_reset(encoder);
	struct meta run = random_meta(&seed, META_RUN);
	cr_assert(eq(int, encoder_add_meta(encoder, &run), 0));
	encoder_free(encoder);
}

Test(meta, names_are_known_both_ways)
{
	for (int kind = 1; kind < META_KIND_COUNT; kind++)
		cr_assert(eq(int, meta_kind_from_name(meta_kind_name((enum meta_kind)kind)), kind));
	cr_assert(eq(int, strcmp(meta_kind_name(META_END), "end"), 0));
	cr_assert(eq(int, meta_kind_from_name("events"), META_NONE));
	cr_assert(eq(int, meta_kind_from_name(""), META_NONE));
	cr_assert(eq(int, meta_kind_from_name(NULL), META_NONE));
	cr_assert(eq(ptr, (void *)meta_kind_name(META_NONE), NULL));
}
