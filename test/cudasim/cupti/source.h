/* SPDX-License-Identifier: MIT */
/*
 * What is recorded: follows the device's own log and makes activities of it, according to the
 * kinds and API functions that a client has enabled. Operations become activities in operation.c,
 * calls in calls.c.
 *
 * Calls that one API call makes inside share its correlation number, as do the operations that it
 * enqueues. External correlations are written before the first record of such a number. Any
 * thread may call any of this.
 */
#ifndef CUDASIM_CUPTI_SOURCE_H
#define CUDASIM_CUPTI_SOURCE_H

#include "../core/log.h"
#include "cupti.h"

/* Starts following the device, once. 0 or an error: there is no stand-in driver. */
int source_start(void);

/* For kinds of API records this sets all functions of that API. */
void source_enable_kind(uint32_t kind, int enable);
int source_has_kind(uint32_t kind);
/* The same for one context alone. CUPTI_INVALID_PARAMETER if there is no such context. */
int source_enable_context(uint32_t context, uint32_t kind, int enable);
/* 1 if the kind is enabled, at all or for this context. */
int source_wants(uint32_t kind, uint32_t context);
/* The same for any context. */
int source_wants_somewhere(uint32_t kind);
/* Whether records of events tell when the device came to them. */
void source_set_event_times(int enable);
int source_event_times(void);
void source_enable_function(enum cupti_api api, uint32_t id, int enable);

/* The stand-in driver's private door, NULL before source_start. */
const struct sim_private *source_driver(void);

/* The number by which a client knows this call. */
uint32_t source_correlation(uint64_t call);

/*
 * Room for an activity in the queue, with the number by which a client knows the call, behind
 * external correlations: as deliver_open(), and deliver_close() has to follow.
 */
struct activity *source_open(enum cupti_kind kind, uint64_t call);

/* Queues a copy in the same way; its correlation is the call's number still. */
void source_put(const struct activity *activity);

/* Makes activities of a record of the log. */
void operation_follow(const struct log_record *record);
void calls_follow(const struct log_record *record);
/* 0 if nothing would come of the record of such a call, as of most; until something changes. */
int calls_want(const char *function, int layer, int is_inside);

/* Calls of API functions that a client wants records of. */
int source_wants_function(enum cupti_api api, uint32_t id);

/* Puts a record of each device. */
void operation_put_devices(void);
/* From now on a context is announced again before its first operation. */
void operation_forget_contexts(void);
/* A graph's launch has ended: its operations in one record, if they were gathered. */
void operation_end_graph(const struct log_record *call);

/* From then on the subscriber is told; once the driver is there. In callback.c. */
void callback_start(void);

/* enum sim_memory as CUpti_ActivityMemoryKind. */
uint8_t source_memory_number(uint8_t memory);

/* Thread ids of API records: 0 as pthread_self() says, 1 the system's. */
void source_set_thread_ids(int system);
int source_thread_ids(void);

/* External correlation of the calling thread. pop takes off the latest of that kind. */
int source_push(uint32_t kind, uint64_t id);
int source_pop(uint32_t kind, uint64_t *ret_id);

#endif
