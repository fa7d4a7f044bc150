/* SPDX-License-Identifier: MIT */
/*
 * What a module is called: the way to it from the one that calls it, by the names under which they
 * hold each other, and its class. Names are looked for once and kept, with the keys; before each
 * use the keys are followed again, because an address soon holds another module.
 *
 * With the interpreter's lock; no exception is left behind. One table belongs to one thread at a
 * time; zeroed memory is an empty one, and another thread's old table is as good.
 */
#ifndef PRELOAD_TORCH_WAY_H
#define PRELOAD_TORCH_WAY_H

#include <stdbool.h>
#include <stdint.h>

#define WAY_BITS    8
#define WAY_KEYS    4u /* modules in a row that are not called themselves, as lists of others */
#define WAY_TYPE_AT 8u /* of an object: its type */

struct way_names {
	uint32_t path, class;
};

struct ways {
	struct way {
		const void *self;
		void *type;     /* kept */
		uint32_t outer; /* path of the one that calls it, 0: none */
		uint32_t count; /* of keys; 0: the caller does not hold it */
		struct way_names names;
		void *keys[WAY_KEYS]; /* kept */
	} known[1u << WAY_BITS];
};

/* Once; false: no memory. */
bool ways_begin(void);

/* outer calls self; NULL: nothing that is open does. */
struct way_names way_names(
	struct ways *ways, void *outer, const struct way_names *outer_names, void *self);

#endif
