/* SPDX-License-Identifier: MIT */
/*
 * What a frame says about its kinds and sites, on the decoder's side: the writer's
 * field lists joined by name with ours (layout.h), so that a reader with fewer or
 * more fields than the writer works. Fields that only the writer knows are read
 * and dropped, fields that only we know stay 0.
 *
 * Everything is bounded by the limits of the format, memory is taken once.
 */
#ifndef COLLECTOR_CODEC_SCHEMA_H
#define COLLECTOR_CODEC_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/codec/layout.h"
#include "collector/codec/mean.h"
#include "collector/codec/unpack.h"

/* Bits of eight bytes of a record that a value goes to; none of a field that we do not know. */
struct schema_slot {
	uint64_t mask;
	uint8_t offset;
	uint8_t shift;
};

/* A kind as the frame defines it. */
struct schema_kind {
	bool known; /* number is one of ours */
	uint8_t site_count;
	uint8_t column_count;
	struct schema_slot site[FORMAT_FIELD_LIMIT];
	struct schema_slot column[FORMAT_COLUMN_LIMIT];
	uint64_t last[FORMAT_COLUMN_LIMIT]; /* value of the column before */
};

struct schema_site {
	struct record record; /* without times and columns */
	struct means means;
	struct schema_kind *kind;
};

struct schema {
	bool defined[FORMAT_KIND_LIMIT]; /* apart: most kinds never are, and are not touched */
	struct schema_kind kinds[FORMAT_KIND_LIMIT];
	struct layout layout;
	struct schema_site *sites; /* FORMAT_SITE_LIMIT */
	uint32_t site_count;
};

static inline void schema_set(struct record *record, const struct schema_slot *slot, uint64_t value)
{
	uint64_t word;
	char *at = (char *)record + slot->offset;
	memcpy(&word, at, sizeof(word));
	word ^= (word ^ value << slot->shift) & slot->mask;
	memcpy(at, &word, sizeof(word));
}

/* False when out of memory; schema_release() is fine then. */
bool schema_init(struct schema *schema);
void schema_release(struct schema *schema);

/* Forget kinds and sites: a frame begins. */
void schema_clear(struct schema *schema);

/* Read the "kinds" array and the "sites" array of a block. False: damaged. */
bool schema_read_kinds(struct schema *schema, struct unpack *unpack);
bool schema_read_sites(struct schema *schema, struct unpack *unpack);

#endif
