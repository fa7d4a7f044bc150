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

#include <stdbool.h>

#include "analyzer/sources/sources.h"
#include "collector/base/idmap.h"
#include "collector/codec/codec.h"

#define DEFINITIONS_BYTES_LIMIT (256u << 20)

struct definitions {
	struct idmap names, places, calls, threads, stacks;
	struct idmap paths; /* of names that are shown shorter: as they came */
	struct sources sources;
	struct definitions_chunk *chunks;
	size_t bytes;        /* of all chunks */
	struct meta_RUN run; /* of the traced process, if has_run; its texts are in run_texts */
	bool has_run;
	char *run_texts;
	void (*changing)(
		void *context); /* called before any lookup has another answer; NULL: not */
	void *context;
};

void definitions_release(struct definitions *definitions);

/* Paths of files are shown without the folder from now on (sources.h). 0 or a negative code. */
int definitions_set_root(struct definitions *definitions, const char *folder);

/*
 * Keep what meta defines; other kinds are ignored. 0, -ENOMEM, or -ERR_TOO_LARGE when the limit
 * is reached.
 */
int definitions_add(struct definitions *definitions, const struct meta *meta);

/* The same, but only if the id is not defined yet. */
int definitions_add_missing(struct definitions *definitions, const struct meta *meta);

/* Keep a copy of the process's description in the place of the one before. 0 or -ENOMEM. */
int definitions_set_run(struct definitions *definitions, const struct meta_RUN *run);

/* NULL when there is no such id. */
const char *definitions_name(const struct definitions *definitions, uint32_t id);
const struct meta_PLACE *definitions_place(const struct definitions *definitions, uint32_t id);
const struct meta_CALL *definitions_call(const struct definitions *definitions, uint32_t id);
const struct meta_THREAD *definitions_thread(const struct definitions *definitions, uint32_t id);
const struct meta_STACK *definitions_stack(const struct definitions *definitions, uint32_t id);

#endif
