/* SPDX-License-Identifier: MIT */
/* The part of field_text.h that is about maps: expanded from meta.def and nothing else. */
#include "analyzer/text/field_text.h"

#include <stddef.h>

enum meta_field_type {
	TYPE_U64,
	TYPE_I64,
	TYPE_TEXT
};

struct meta_field {
	const char *name; /* NULL ends the list */
	uint16_t offset;
	uint8_t type; /* enum meta_field_type */
};

/* clang-format off */
#define META(kind, name, flag, text) static const struct meta_field fields_##kind[] = {
#define META_FIELD(kind, name, type) {#name, offsetof(struct meta_##kind, name), type},
#define META_U64(kind, name) META_FIELD(kind, name, TYPE_U64)
#define META_I64(kind, name) META_FIELD(kind, name, TYPE_I64)
#define META_TEXT(kind, name) META_FIELD(kind, name, TYPE_TEXT)
#define META_END(kind) {NULL, 0, 0}};
#include "collector/format/meta.def"
#undef META_FIELD

enum meta_flag { META_FLAG_DEFINITION, META_FLAG_STATE };

static const struct meta_layout {
	const struct meta_field *fields;
	enum meta_flag flag;
} layouts[META_KIND_COUNT] = {
#define META(kind, name, flag, text) [META_##kind] = {fields_##kind, META_FLAG_##flag},
#include "collector/format/meta.def"
};
/* clang-format on */

static const struct meta_field *fields_of(enum meta_kind kind)
{
	static const struct meta_field none[] = {{NULL, 0, 0}};
	return kind > META_NONE && kind < META_KIND_COUNT ? layouts[kind].fields : none;
}

static const void *slot(const struct meta *meta, const struct meta_field *field)
{
	return (const char *)&meta->u + field->offset;
}

bool field_is_definition(enum meta_kind kind)
{
	return kind > META_NONE && kind < META_KIND_COUNT &&
	       layouts[kind].flag == META_FLAG_DEFINITION;
}

void field_print_meta(struct out *out, const struct meta *meta)
{
	for (const struct meta_field *field = fields_of(meta->kind); field->name != NULL; field++) {
		out_char(out, ' ');
		out_text(out, field->name);
		out_char(out, '=');
		if (field->type == TYPE_U64)
			out_u64(out, *(const uint64_t *)slot(meta, field));
		else if (field->type == TYPE_I64)
			out_i64(out, *(const int64_t *)slot(meta, field));
		else
			out_printable(out, *(const char *const *)slot(meta, field), 200);
	}
}

void field_json_meta(struct json *json, const struct meta *meta)
{
	for (const struct meta_field *field = fields_of(meta->kind); field->name != NULL; field++) {
		json_key(json, field->name);
		if (field->type == TYPE_U64)
			json_u64(json, *(const uint64_t *)slot(meta, field));
		else if (field->type == TYPE_I64)
			json_i64(json, *(const int64_t *)slot(meta, field));
		else
			json_text(json, *(const char *const *)slot(meta, field));
	}
}
