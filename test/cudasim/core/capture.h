/* SPDX-License-Identifier: MIT */
/*
 * Stream capture: work submitted to a capturing stream becomes nodes of a graph.
 *
 * A capture begins on one stream; others join it by waiting for an event recorded in it, and must
 * be joined back before it ends. What must not happen during a capture (waiting for a capturing
 * stream, using the legacy default stream beside a blocking capture, calls that are unsafe in the
 * thread's capture mode) fails and spoils the capture: its end then reports so. Functions take
 * the state's lock themselves.
 */
#ifndef CUDASIM_CORE_CAPTURE_H
#define CUDASIM_CORE_CAPTURE_H

#include "graph.h"

struct capture {
	struct capture *next;
	uint64_t id;
	CUgraph graph;
	CUstream origin;
	CUstream joined; /* list of the other streams in it */
	int mode;        /* enum cuda_capture_mode */
	int status;      /* enum cuda_capture_status */
	uint32_t thread;
	int graph_is_given; /* by cuStreamBeginCaptureToGraph: the caller's, not to be freed */
};

/* graph: NULL, or the caller's, to which nodes after "after" are added. 0 or an error. */
int capture_begin(CUstream stream, int mode, CUgraph graph, const struct node_list *after);
int capture_end(CUstream stream, CUgraph *ret_graph);

/* Adds a copy of work behind what the stream has captured. */
int capture_add(CUstream stream, const struct work *work);
int capture_add_exec(CUstream stream, CUgraphExec exec);

int capture_record_event(CUstream stream, CUevent event);
int capture_wait_event(CUstream stream, CUevent event);

/* The stream must not be capturing: else spoils the capture and returns ...Unsupported. */
int capture_forbid(CUstream stream);

/* Work on the legacy stream while a blocking stream captures is an error and spoils it. */
int capture_check_legacy(CUstream stream);

/* For calls that are unsafe while something captures: 0, or ...Unsupported and it is spoilt. */
int capture_check_unsafe(void);

/* For calls that wait for the whole context: any capture is in the way. */
int capture_check_none(void);

/* Sets the thread's mode, returns the one before. */
int capture_exchange_mode(int mode);

#endif
