/* SPDX-License-Identifier: MIT */
/*
 * What the events of one trace refer to by id: texts, places, functions, threads.
 * Filled while the file is read; entries stay until the end, so pointers that were
 * handed out stay valid. A definition that comes again is dropped; one with another
 * content replaces the old for later lookups. All texts together are bounded, so
 * that a hostile trace cannot fill the memory.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_DEFINITIONS_H
#define ANALYZER_DEFINITIONS_H

#include "collector/base/idmap.h"
#include "collector/codec/codec.h"

#define DEFINITIONS_BYTES_LIMIT (256u << 20)

struct definitions {
	struct idmap names, places, calls, threads, stacks;
	struct definitions_chunk *chunks;
	size_t bytes; /* of all chunks */
};

void definitions_release(struct definitions *definitions);

/*
 * Keep what meta defines; other kinds are ignored. 0, -ENOMEM, or -ERR_TOO_LARGE when the limit
 * is reached.
 */
int definitions_add(struct definitions *definitions, const struct meta *meta);

/* The same, but only if the id is not defined yet. */
int definitions_add_missing(struct definitions *definitions, const struct meta *meta);

/* NULL when there is no such id. */
const char *definitions_name(const struct definitions *definitions, uint32_t id);
const struct meta_PLACE *definitions_place(const struct definitions *definitions, uint32_t id);
const struct meta_CALL *definitions_call(const struct definitions *definitions, uint32_t id);
const struct meta_THREAD *definitions_thread(const struct definitions *definitions, uint32_t id);
const struct meta_STACK *definitions_stack(const struct definitions *definitions, uint32_t id);

#endif
