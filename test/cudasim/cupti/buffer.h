/* SPDX-License-Identifier: MIT */
/*
 * Clients' buffers: asked for, filled with records, given back.
 *
 * One buffer is held at a time. It is given back when a record finds no room in it, when it has
 * as many records as the client or CUDASIM_CUPTI allows, and when it is asked for. It goes back
 * to the client it came from, even if another one has registered meanwhile. The faults that
 * CUDASIM_CUPTI orders for records are put in here. The delivering thread alone calls this,
 * except where noted.
 */
#ifndef CUDASIM_CUPTI_BUFFER_H
#define CUDASIM_CUPTI_BUFFER_H

#include "cupti.h"

typedef void cupti_request(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void cupti_complete(
	void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

/* Any thread. */
void buffer_register(cupti_request *request, cupti_complete *complete);

/* Asks for a buffer if none is held. 0, or -1 if the client gave none. */
int buffer_ensure(void);

/* 1 if one is held. Any thread. */
extern int buffer_held;
static inline int buffer_is_held(void)
{
	return __atomic_load_n(&buffer_held, __ATOMIC_RELAXED);
}

/* Writes the record, damaged where that is ordered; counts it as dropped where it has no place. */
void buffer_write(struct activity *activity);

/* Gives back the buffer that is held, if it has records, or in any case. */
void buffer_give_back(int even_empty);

/* Takes the records of that context out of the buffer that is held. */
void buffer_forget(uint32_t context);

/* How many records were dropped since the last time this was asked. Any thread. */
size_t buffer_take_dropped(void);
void buffer_add_dropped(size_t count);

#endif
