/* SPDX-License-Identifier: MIT */
/*
 * Definitions and states (meta.def) as msgpack maps, from the table alone.
 *
 * Packing goes through a bounded buffer (pack.h). Unpacking reads with a bounded
 * cursor (unpack.h) and copies the texts into memory of the caller, so that they
 * are terminated. Pure functions but for that memory.
 */
#ifndef COLLECTOR_CODEC_META_H
#define COLLECTOR_CODEC_META_H

#include <stdint.h>

#include "collector/codec/layout.h"
#include "collector/codec/pack.h"
#include "collector/codec/unpack.h"
#include "collector/format/definition.h"

/* Most text fields of a kind; a unit test compares it with meta.def. */
#define META_TEXT_LIMIT 12u

/* Where the texts of one decoded map are kept. */
struct meta_texts {
	char bytes[META_TEXT_LIMIT][FORMAT_TEXT_LIMIT + 1];
};

/* Append meta. Returns what it is for the frame's header (enum frame_content), 0: no such kind. */
uint32_t meta_pack(const struct meta *meta, struct pack *pack);

/*
 * Read the remaining pairs key-value pairs of a map of this kind. Missing fields are 0 or "";
 * unknown keys are skipped; a key that comes twice counts the last time. False: damaged.
 */
bool meta_unpack(struct unpack *unpack, enum meta_kind kind, uint32_t pairs,
	struct meta_texts *texts, struct meta *ret_meta);

#endif
