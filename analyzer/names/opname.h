/* SPDX-License-Identifier: MIT */
/*
 * What the names of operators and ranges mean, from one table (opname.def). A name
 * is matched once; after that its class is one load by id. Not thread-safe; an all-zero
 * struct is an empty cache.
 */
#ifndef ANALYZER_OPNAME_H
#define ANALYZER_OPNAME_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/read/lookup.h"
#include "collector/base/vec.h"

enum opclass {
	OPCLASS_MARK = 1 << 0,       /* an explicit training step */
	OPCLASS_LOADER = 1 << 1,     /* the program waits for the next batch */
	OPCLASS_IN_PROCESS = 1 << 2, /* a loader without workers, a stage of one */
	OPCLASS_OPTIMIZER = 1 << 3,
	OPCLASS_BACKWARD = 1 << 4,
	OPCLASS_SHAPE = 1 << 5,      /* the size of the result depends on values */
	OPCLASS_SCALAR = 1 << 6,     /* reads one value */
	OPCLASS_TRANSFER = 1 << 7,   /* moves a tensor */
	OPCLASS_COMM = 1 << 8,       /* a kernel, or the code of a file, that communicates */
	OPCLASS_STEP_RANGE = 1 << 9, /* a training step, if it is a range of the program */
	OPCLASS_SAVES = 1 << 10,     /* a file whose code writes what it fetches to a file */
	OPCLASS_ZERO_GRAD = 1 << 11, /* an optimiser forgets the gradients */
	OPCLASS_AWAITS = 1 << 12,    /* a file whose code waits for compiled functions; a wait */
	OPCLASS_VIEW = 1 << 13,      /* computes nothing: a view of memory, or memory itself */
	OPCLASS_COMPILED = 1 << 14,  /* a function that the program has compiled as a whole */
	OPCLASS_KNOWN = 1 << 15,     /* the cache has looked */
	OPCLASS_GRADIENT = 1 << 16,  /* within a backward pass, which is told when it ends */
	OPCLASS_OWN = 1 << 17,       /* a function that the program has compiled, or a library */
	OPCLASS_LIBRARY = 1 << 18,
	OPCLASS_TRAINS = 1 << 19, /* what is compiled says that it trains, or that it does not */
	OPCLASS_EVALUATES = 1 << 20,
	OPCLASS_AROUND = 1 << 21, /* of PyTorch's backward pass: Python code, or what calls it */
};

struct opname_cache {
	VEC(uint32_t) classes; /* by id; 0: not looked up yet */
};

void opname_release(struct opname_cache *cache);

/* Bits of enum opclass for a text; 0 for none of the table's, NULL and "". */
unsigned opname_class(const char *text);

/* The same for a name id, looked up once. Out of memory it is looked up every time. */
unsigned opname_lookup(struct opname_cache *cache, const struct lookup *lookup, uint32_t id);

static inline unsigned opname_get(
	struct opname_cache *cache, const struct lookup *lookup, uint32_t id)
{
	if (id < cache->classes.count && cache->classes.items[id] != 0)
		return cache->classes.items[id];
	return opname_lookup(cache, lookup, id);
}

#endif
