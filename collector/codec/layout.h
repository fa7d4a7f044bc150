/* SPDX-License-Identifier: MIT */
/*
 * How records of a kind are cut into what is sent once (the site) and what is sent
 * with every event (the columns); derived from record.def, so that encoder and
 * decoder agree and neither knows a kind.
 *
 * A site is the fields that every kind has (call, place, result; each only if no
 * field of the kind uses that slot), then the kind's SITE fields in the order of the
 * table. Two records are of one site if they agree under mask, which covers struct
 * record from offset LAYOUT_SITE_OFFSET on. Built once, then only read.
 */
#ifndef COLLECTOR_CODEC_LAYOUT_H
#define COLLECTOR_CODEC_LAYOUT_H

#include <stdint.h>

#include "collector/format/record.h"

#define LAYOUT_SITE_OFFSET  16u
#define LAYOUT_SITE_WORDS   6u
#define LAYOUT_SITE_LIMIT   20u /* site fields of a kind of ours */
#define LAYOUT_COLUMN_LIMIT 2u  /* column fields of a kind of ours */

/* Limits of the format, for any writer (FORMAT.md). */
#define FORMAT_SITE_LIMIT   16384u /* sites of a frame */
#define FORMAT_KIND_LIMIT   256u   /* kind numbers */
#define FORMAT_FIELD_LIMIT  64u    /* site fields of a kind */
#define FORMAT_COLUMN_LIMIT 8u     /* column fields of a kind */
#define FORMAT_TEXT_LIMIT   16384u /* bytes of a text */

struct layout_kind {
	const char *name;
	const struct record_field *site[LAYOUT_SITE_LIMIT];
	const struct record_field *column[LAYOUT_COLUMN_LIMIT];
	unsigned site_count;
	unsigned column_count;
	uint64_t mask[LAYOUT_SITE_WORDS];
};

/* Indexed by kind; entries without a name are numbers that are not in use. */
struct layout {
	struct layout_kind kinds[RECORD_KIND_LIMIT];
};

/* Fill *layout from record.def. */
void layout_init(struct layout *layout);

/* Name of a field type in the file ("uint", "int", "name", "handle", "bits"). */
const char *layout_type_name(unsigned type);

/*
 * Field of kind with this name of length bytes, also one of the common ones; NULL if kind is not
 * ours or has no such field.
 */
const struct record_field *layout_find(
	const struct layout *layout, unsigned kind, const char *name, size_t length);

#endif
