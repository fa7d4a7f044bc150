/* SPDX-License-Identifier: MIT */
/*
 * Texts, places and stacks that records refer to by id. Any thread may ask for an id at any
 * time, before the collector has started too; the ids stay the same for the life of
 * the process and in its forked children, because hooks keep them.
 *
 * The bytes lie in chunks: in private memory until a session begins, then in the live
 * file, so that a record that survives a SIGKILL finds its texts there. define_publish()
 * copies what came before into the live file; a thread that stores a text meanwhile notices and
 * stores it there as well. No lock, no waiting, memory from mmap, at most DEFINE_CHUNKS chunks.
 */
#ifndef COLLECTOR_BUFFER_DEFINE_H
#define COLLECTOR_BUFFER_DEFINE_H

#include <stdint.h>

#include "collector/buffer/live.h"

#define DEFINE_CHUNKS     512u   /* per session: 128 MiB */
#define DEFINE_TEXT_LIMIT 16384u /* a longer text is cut */
/* Stacks that change without end must not crowd out texts and places. */
#define DEFINE_STACK_LIMIT 65535u

/* Id of a text; 0 for NULL, empty, or when there is no room. */
uint32_t define_name(const char *text, size_t length);

/* The text of an id, not terminated, or NULL. */
const char *define_name_text(uint32_t id, size_t *ret_length);

/* Id of a place; 0 when there is no room. */
uint32_t define_place(const struct live_place *place);

/* The place of an id, or NULL. */
const struct live_place *define_place_at(uint32_t id);

/* Highest id of a place so far; some below it may have none. */
uint32_t define_last_place(void);

/* Id of a stack; 0 when there is no room, at the latest beyond DEFINE_STACK_LIMIT. */
uint32_t define_stack(const struct live_stack *stack);

/* The stack of an id, or NULL. */
const struct live_stack *define_stack_at(uint32_t id);

/* From now on definitions go into this live file, with everything that is there already. */
void define_publish(struct live *live);

/* The live file is gone or another process's: new definitions go to private memory again. */
void define_withdraw(void);

/* Put a call's text ("library:name") into the live file; it has its id from elsewhere. */
void define_call(uint32_t id, const char *text, size_t length);

#endif
