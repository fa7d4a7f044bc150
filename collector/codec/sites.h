/* SPDX-License-Identifier: MIT */
/*
 * The site dictionary of a frame on the encoder's side: which combination of
 * fields (layout.h) has been sent under which number, and the running means
 * of its times. Numbers count from 0 in the order of first use.
 *
 * A training loop repeats its calls in the same order, so the site that followed
 * last time is tried before anything is hashed. The memory is fixed: a full
 * dictionary ends the frame. sites_shrink() takes the youngest entries back.
 */
#ifndef COLLECTOR_CODEC_SITES_H
#define COLLECTOR_CODEC_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/codec/layout.h"
#include "collector/codec/mean.h"

#define SITES_SLOTS (2u * FORMAT_SITE_LIMIT)
#define SITES_NONE  UINT32_MAX

struct site {
	uint64_t key[LAYOUT_SITE_WORDS];
	struct means means;
	uint32_t next; /* site that followed last time; only a guess */
};

struct sites {
	struct site *entries; /* FORMAT_SITE_LIMIT */
	uint32_t *slots;      /* SITES_SLOTS, entry + 1 or 0 */
	uint32_t count;
};

/* False when out of memory; sites_release() is fine then. */
bool sites_init(struct sites *sites);
void sites_release(struct sites *sites);

/* Forget everything. */
void sites_clear(struct sites *sites);

/* Forget the entries from count on, the youngest. */
void sites_shrink(struct sites *sites, uint32_t count);

/* Find key or add it; SITES_NONE when the dictionary is full. */
uint32_t sites_find(struct sites *sites, const uint64_t key[LAYOUT_SITE_WORDS]);

static inline bool site_is(const struct site *site, const uint64_t key[LAYOUT_SITE_WORDS])
{
	uint64_t different = 0;
	for (unsigned i = 0; i < LAYOUT_SITE_WORDS; i++)
		different |= site->key[i] ^ key[i];
	return different == 0;
}

#endif
