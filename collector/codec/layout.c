/* SPDX-License-Identifier: MIT */
#include "collector/codec/layout.h"

#include <string.h>

#include "collector/base/banned.h"

static const struct record_field common[] = {
	{"call", offsetof(struct record, call), 2, 0, 16, FIELD_UINT, FIELD_SITE},
	{"place", offsetof(struct record, place), 4, 0, 32, FIELD_UINT, FIELD_SITE},
	{"result", offsetof(struct record, result), 4, 0, 32, FIELD_INT, FIELD_SITE},
};

static const char *const type_names[] = {
	[FIELD_UINT] = "uint",
	[FIELD_INT] = "int",
	[FIELD_NAME] = "name",
	[FIELD_HANDLE] = "handle",
	[FIELD_BITS] = "bits",
};

static int kind_uses_slot(const struct record_kind_info *info, unsigned offset)
{
	for (unsigned i = 0; i < info->field_count; i++)
		if (info->fields[i].offset == offset)
			return 1;
	return 0;
}

static void add_field(struct layout_kind *kind, const struct record_field *field)
{
	if (field->where == FIELD_COLUMN && kind->column_count < LAYOUT_COLUMN_LIMIT)
		kind->column[kind->column_count++] = field;
	if (field->where == FIELD_SITE && kind->site_count < LAYOUT_SITE_LIMIT)
		kind->site[kind->site_count++] = field;
}

static void init_mask(struct layout_kind *kind)
{
	struct record ones;
	memset(&ones, 0, sizeof(ones));
	ones.kind = UINT16_MAX;
	for (unsigned i = 0; i < kind->site_count; i++)
		record_set(&ones, kind->site[i], UINT64_MAX);
	memcpy(kind->mask, (const char *)&ones + LAYOUT_SITE_OFFSET, sizeof(kind->mask));
}

void layout_init(struct layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	for (unsigned k = 0; k < RECORD_KIND_LIMIT; k++) {
		const struct record_kind_info *info = &record_kinds[k];
		struct layout_kind *kind = &layout->kinds[k];
		kind->name = info->name;
		for (unsigned i = 0; info->name && i < sizeof(common) / sizeof(common[0]); i++)
			if (!kind_uses_slot(info, common[i].offset))
				add_field(kind, &common[i]);
		for (unsigned i = 0; i < info->field_count; i++)
			add_field(kind, &info->fields[i]);
		init_mask(kind);
	}
}

const char *layout_type_name(unsigned type)
{
	return type_names[type];
}

static int is_named(const struct record_field *field, const char *name, size_t length)
{
	return strlen(field->name) == length && memcmp(field->name, name, length) == 0;
}

const struct record_field *layout_find(
	const struct layout *layout, unsigned kind, const char *name, size_t length)
{
	if (kind >= RECORD_KIND_LIMIT)
		return NULL;
	const struct layout_kind *of = &layout->kinds[kind];
	for (unsigned i = 0; i < of->site_count; i++)
		if (is_named(of->site[i], name, length))
			return of->site[i];
	for (unsigned i = 0; i < of->column_count; i++)
		if (is_named(of->column[i], name, length))
			return of->column[i];
	return NULL;
}
