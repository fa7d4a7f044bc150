/* SPDX-License-Identifier: MIT */
/*
 * What is recorded: follows the device's own log and makes activities of it, according to the
 * kinds and API functions that a client has enabled.
 *
 * Calls that one API call makes inside share its correlation number, as do the operations that it
 * enqueues. External correlations are written before the first record of such a number. Any
 * thread may call any of this.
 */
#ifndef CUDASIM_CUPTI_SOURCE_H
#define CUDASIM_CUPTI_SOURCE_H

#include "cupti.h"

/* Starts following the device, once. 0 or an error: there is no stand-in driver. */
int source_start(void);

/* For kinds of API records this sets all functions of that API. */
void source_enable_kind(uint32_t kind, int enable);
int source_has_kind(uint32_t kind);
void source_enable_function(enum cupti_api api, uint32_t id, int enable);

/* Thread ids of API records: 0 as pthread_self() says, 1 the system's. */
void source_set_thread_ids(int system);
int source_thread_ids(void);

/* External correlation of the calling thread. pop takes off the latest of that kind. */
int source_push(uint32_t kind, uint64_t id);
int source_pop(uint32_t kind, uint64_t *ret_id);

#endif
