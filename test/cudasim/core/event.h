/* SPDX-License-Identifier: MIT */
/*
 * Events: a point of a stream that can be asked for, waited for and measured.
 *
 * An event that was never recorded counts as passed. While its stream captures, a record stores
 * the nodes it follows instead of a point, which is how a second stream joins the capture.
 */
#ifndef CUDASIM_CORE_EVENT_H
#define CUDASIM_CORE_EVENT_H

#include "../cuda_abi.h"
#include "stream.h"

struct CUevent_st {
	uint64_t magic;
	uint64_t id;
	unsigned flags;
	int recorded;
	struct sim_point point;
	struct capture *capture; /* of the last record, NULL if it was not captured */
	uint64_t capture_id;
	struct node_list nodes;
	CUevent next; /* free list */
};

/* Takes the state's lock itself. NULL when out of memory. */
CUevent event_create(unsigned flags);
void event_destroy(CUevent event);
int event_is_valid(CUevent event);

/* 0 or an error. Take the state's lock themselves. */
int event_record(CUstream stream, CUevent event);
int event_make_wait(CUstream stream, CUevent event);

/* The point at which the event has happened. */
struct sim_point event_point(CUevent event);

/* Milliseconds from one to the other; cudaErrorInvalidResourceHandle, cudaErrorNotReady. */
int event_elapsed(CUevent begin, CUevent end, float *ret_ms);

#endif
