/* SPDX-License-Identifier: MIT */
/*
 * The half of the boundary (collector.h) that is not about events: texts and places that
 * records refer to by id, and what the file says about the recording itself.
 *
 * Everything may be called from any thread at any time, before the first event and in a
 * forked child too; nothing blocks or allocates from the heap. errno may change, and the
 * first sight of a text may take a fraction of a microsecond. Ids stay the same for the life of
 * the process, so that hooks may keep them.
 */
#ifndef COLLECTOR_DESCRIBE_H
#define COLLECTOR_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/buffer/state.h"
#include "collector/format/live.h"

/* Id of a text; the same text has the same id. 0 for NULL, empty, or when there is no room. */
uint32_t collector_name(const char *text, size_t length);

/* The text of an id as stored (not terminated; *ret_length), or NULL. Valid for ever. */
const char *collector_name_text(uint32_t id, size_t *ret_length);

/* Id of a place; equal places have the same id. 0 when there is no room. */
uint32_t collector_place(const struct live_place *place);

/*
 * Id of the stack whose innermost frame is at place and whose callers are the stack caller (0: none
 * are known). Equal stacks have the same id. 0 when there is no room.
 */
uint32_t collector_stack(uint32_t place, uint32_t caller);

/* States for the file; may be called from any thread at any time, written at the next drain. */
void collector_source(const char *name, const char *state, const char *reason);
void collector_version(const char *name, const char *value);
void collector_setting(const char *name, const char *value);
void collector_metadata(const char *name, const char *value);
void collector_worker(unsigned number, unsigned count);

/* The process has that rank in a group of so many: of the job, if it does not know its rank. */
void collector_rank(unsigned rank, unsigned ranks);

/* Add to a running counter of counter.def. Lock-free. */
void collector_count(enum state_counter counter, uint64_t more);

#endif
