/* SPDX-License-Identifier: MIT */
#include "collector/codec/meta.h"

#include <string.h>

#include "collector/base/banned.h"
#include "collector/codec/frame.h"

enum meta_type {
	TYPE_U64,
	TYPE_I64,
	TYPE_TEXT
};

/* meta.def says which of the two a kind is; both become a flag of the frame. */
#define DEFINITION FRAME_HAS_DEFINITIONS
#define STATE      FRAME_HAS_STATE

struct meta_field {
	const char *name;
	uint16_t length; /* of the name */
	uint16_t type;   /* enum meta_type */
	size_t offset;   /* in the union of struct meta */
};

struct meta_info {
	const struct meta_field *fields;
	unsigned field_count;
	uint32_t content;
};

/* clang-format off */
#define NAMED(field)                 #field, sizeof(#field) - 1
#define META(kind, name, flag, text) static const struct meta_field fields_##kind[] = {
#define META_U64(kind, field)        {NAMED(field), TYPE_U64, offsetof(struct meta_##kind, field)},
#define META_I64(kind, field)        {NAMED(field), TYPE_I64, offsetof(struct meta_##kind, field)},
#define META_TEXT(kind, field)       {NAMED(field), TYPE_TEXT, offsetof(struct meta_##kind, field)},
#define META_END(kind)               };
#include "collector/format/meta.def"

#define COUNT(kind) (sizeof(fields_##kind) / sizeof(fields_##kind[0]))
static const struct meta_info infos[META_KIND_COUNT] = {
#define META(kind, name, flag, text) [META_##kind] = {fields_##kind, COUNT(kind), flag},
#include "collector/format/meta.def"
};
#undef COUNT
#undef NAMED
/* clang-format on */

static void pack_field(struct pack *pack, const struct meta_field *field, const void *base)
{
	const char *at = (const char *)base + field->offset;
	uint64_t number;
	const char *text;
	pack_text(pack, field->name, FORMAT_TEXT_LIMIT);
	switch ((enum meta_type)field->type) {
	case TYPE_U64:
		memcpy(&number, at, sizeof(number));
		pack_uint(pack, number);
		break;
	case TYPE_I64:
		memcpy(&number, at, sizeof(number));
		pack_int(pack, (int64_t)number);
		break;
	case TYPE_TEXT:
		memcpy(&text, at, sizeof(text));
		pack_text(pack, text, FORMAT_TEXT_LIMIT);
		break;
	}
}

uint32_t meta_pack(const struct meta *meta, struct pack *pack)
{
	if ((unsigned)meta->kind >= META_KIND_COUNT || meta->kind == META_NONE)
		return 0;
	const struct meta_info *info = &infos[meta->kind];
	pack_map(pack, 1 + info->field_count);
	pack_text(pack, "t", FORMAT_TEXT_LIMIT);
	pack_text(pack, meta_kind_name(meta->kind), FORMAT_TEXT_LIMIT);
	for (unsigned i = 0; i < info->field_count; i++)
		pack_field(pack, &info->fields[i], &meta->u);
	return info->content | (meta->kind == META_END ? (uint32_t)FRAME_IS_LAST : 0);
}

static bool unpack_field(
	struct unpack *unpack, const struct meta_field *field, char *text_memory, void *base)
{
	char *at = (char *)base + field->offset;
	if (field->type != TYPE_TEXT) {
		int64_t number;
		if (!unpack_int(unpack, &number))
			return false;
		memcpy(at, &number, sizeof(number));
		return true;
	}
	const char *text;
	size_t length;
	if (!unpack_text(unpack, &text, &length))
		return false;
	if (length > FORMAT_TEXT_LIMIT)
		length = FORMAT_TEXT_LIMIT;
	memcpy(text_memory, text, length);
	text_memory[length] = '\0';
	memcpy(at, &text_memory, sizeof(text_memory));
	return true;
}

/* Texts are terminated and empty, numbers 0. */
static void set_defaults(const struct meta_info *info, struct meta_texts *texts, struct meta *meta)
{
	memset(&meta->u, 0, sizeof(meta->u));
	for (unsigned i = 0, text = 0; i < info->field_count; i++) {
		if (info->fields[i].type != TYPE_TEXT)
			continue;
		char *memory = texts->bytes[text++];
		memory[0] = '\0';
		memcpy((char *)&meta->u + info->fields[i].offset, &memory, sizeof(memory));
	}
}

bool meta_unpack(struct unpack *unpack, enum meta_kind kind, uint32_t pairs,
	struct meta_texts *texts, struct meta *ret_meta)
{
	const struct meta_info *info = &infos[kind];
	ret_meta->kind = kind;
	set_defaults(info, texts, ret_meta);
	for (; pairs > 0; pairs--) {
		const char *key;
		size_t length;
		if (!unpack_text(unpack, &key, &length))
			return false;
		unsigned i = 0, text = 0;
		for (; i < info->field_count; i++) {
			const struct meta_field *field = &info->fields[i];
			if (field->length == length && memcmp(field->name, key, length) == 0)
				break;
			text += info->fields[i].type == TYPE_TEXT;
		}
		bool fine = i == info->field_count
				    ? unpack_skip(unpack)
				    : unpack_field(unpack, &info->fields[i],
					      texts->bytes[text % META_TEXT_LIMIT], &ret_meta->u);
		if (!fine)
			return false;
	}
	return true;
}
