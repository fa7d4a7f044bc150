/* SPDX-License-Identifier: MIT */
#include "collector/codec/schema.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/banned.h"

bool schema_init(struct schema *schema)
{
	schema_clear(schema); /* what is of no kind that is defined is never looked at */
	layout_init(&schema->layout);
	schema->sites = malloc(FORMAT_SITE_LIMIT * sizeof(*schema->sites));
	return schema->sites != NULL;
}

void schema_release(struct schema *schema)
{
	free(schema->sites);
	schema->sites = NULL;
}

void schema_clear(struct schema *schema)
{
	memset(schema->defined, 0, sizeof(schema->defined));
	schema->site_count = 0;
}

/* The record is read as little-endian words, like all that the format stores. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lowest byte comes first");

static struct schema_slot slot_of(const struct record_field *field)
{
	const unsigned last = sizeof(struct record) - sizeof(uint64_t);
	if (field == NULL)
		return (struct schema_slot){0};
	unsigned offset = field->offset < last ? field->offset : last;
	unsigned shift = field->shift + 8 * (field->offset - offset);
	uint64_t mask = field->bits >= 64 ? UINT64_MAX : (1ull << field->bits) - 1;
	return (struct schema_slot){
		.mask = mask << shift, .offset = (uint8_t)offset, .shift = (uint8_t)shift};
}

/* A list of [name, type, ...] joined with ours. Returns false if damaged or over limit. */
static bool read_fields(struct schema *schema, struct unpack *unpack, unsigned kind, unsigned limit,
	struct schema_slot *ret_slots, uint8_t *ret_count)
{
	uint32_t count;
	if (!unpack_array(unpack, &count) || count > limit)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parts;
		const char *name;
		size_t length;
		if (!unpack_array(unpack, &parts) || parts < 1 ||
			!unpack_text(unpack, &name, &length))
			return false;
		for (; parts > 1; parts--)
			if (!unpack_skip(unpack))
				return false;
		ret_slots[i] = slot_of(layout_find(&schema->layout, kind, name, length));
	}
	*ret_count = (uint8_t)count;
	return true;
}

static bool read_kind(struct schema *schema, struct unpack *unpack)
{
	uint32_t parts;
	int64_t number;
	if (!unpack_array(unpack, &parts) || parts < 4 || !unpack_int(unpack, &number) ||
		number < 0 || number >= (int64_t)FORMAT_KIND_LIMIT || !unpack_skip(unpack))
		return false;
	struct schema_kind *kind = &schema->kinds[number];
	if (schema->defined[number])
		return false;
	memset(kind, 0, sizeof(*kind));
	if (!read_fields(schema, unpack, (unsigned)number, FORMAT_FIELD_LIMIT, kind->site,
		    &kind->site_count) ||
		!read_fields(schema, unpack, (unsigned)number, FORMAT_COLUMN_LIMIT, kind->column,
			&kind->column_count))
		return false;
	for (; parts > 4; parts--)
		if (!unpack_skip(unpack))
			return false;
	kind->known = number < RECORD_KIND_LIMIT && record_kinds[number].name != NULL;
	schema->defined[number] = true;
	return true;
}

bool schema_read_kinds(struct schema *schema, struct unpack *unpack)
{
	uint32_t count;
	if (!unpack_array(unpack, &count))
		return false;
	for (; count > 0; count--)
		if (!read_kind(schema, unpack))
			return false;
	return true;
}

static bool read_site(struct schema *schema, struct unpack *unpack)
{
	uint32_t parts;
	int64_t number;
	if (schema->site_count == FORMAT_SITE_LIMIT || !unpack_array(unpack, &parts) || parts < 1 ||
		!unpack_int(unpack, &number) || number < 0 || number >= (int64_t)FORMAT_KIND_LIMIT)
		return false;
	struct schema_kind *kind = &schema->kinds[number];
	if (!schema->defined[number] || parts != 1u + kind->site_count)
		return false;
	int64_t values[FORMAT_FIELD_LIMIT];
	if (!unpack_ints(unpack, kind->site_count, values))
		return false;
	struct schema_site *site = &schema->sites[schema->site_count++];
	memset(site, 0, sizeof(*site));
	site->kind = kind;
	site->record.kind = (uint16_t)number;
	for (unsigned i = 0; i < kind->site_count; i++)
		schema_set(&site->record, &kind->site[i], (uint64_t)values[i]);
	return true;
}

bool schema_read_sites(struct schema *schema, struct unpack *unpack)
{
	uint32_t count;
	if (!unpack_array(unpack, &count))
		return false;
	for (; count > 0; count--)
		if (!read_site(schema, unpack))
			return false;
	return true;
}
