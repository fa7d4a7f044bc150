/* SPDX-License-Identifier: MIT */
/*
 * What the model (model.h) keeps about a thread of the program: whether it launches work, its last
 * calls until the operators around them are known, the copy that a wait may follow, and what it
 * asks for again and again. One per thread, made when its first record comes; plain data.
 */
#ifndef ANALYZER_MODEL_THREAD_H
#define ANALYZER_MODEL_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/load/load.h"
#include "analyzer/timeline/lines.h"
#include "collector/format/record.h"

#define MODEL_PENDING 16u
#define MODEL_BLOCKED 4u
#define MODEL_UNLINED 4u

/* A call whose operators have not ended yet. */
struct model_pending {
	uint64_t begin_ns;
	uint32_t spot;
	bool named, shaped;
};

/* Questions in a row whether the device is done, all answered with no. */
struct model_poll {
	uint64_t begin_ns; /* end of the first */
	uint64_t last_ns;  /* begin of the last */
	uint64_t handle;   /* of the stream or event */
	uint64_t until_op; /* operations that had been given to the device: no more since */
	uint32_t count;
	bool event;
};

/* A line at which a thread was blocked. */
struct model_blocked {
	uint32_t spot;
	uint32_t connection; /* from which bytes came the last time; 0: from none, or not known */
	bool lapsed;         /* the last time, its limit of time was over before anything came */
};

struct model_thread {
	struct model_thread *next;
	uint32_t id, tid; /* ours, the system's */
	bool launches;
	struct line *line; /* NULL: it has none yet, or there is none left */
	uint64_t gil_ns;   /* end of its last wait for Python's lock */
	uint64_t call_ns;  /* begin of its last call that is about work for the device */
	uint64_t launch_count;
	/* of the beginning: launches beside functions of a backward pass, whose begin that is */
	uint64_t own_launches, own_until_ns;
	struct model_pending pending[MODEL_PENDING]; /* a circle */
	uint32_t pending_count;
	/* where it was blocked lately, and nothing has gone to the device since */
	struct model_blocked blocked[MODEL_BLOCKED]; /* the latest last, each spot once */
	uint32_t blocked_count;
	uint64_t copies_in, copies_out; /* to the device and from it, of more than numbers */
	uint64_t call_end_ns;
	struct record
		copy; /* the last call, when it was a copy that a wait may follow; else kind 0 */
	struct model_poll poll;
	/* the last function of the program's that it has given to a stream */
	struct {
		uint64_t begin_ns; /* 0: none, or it is awaited no more */
		uint64_t stream;
		uint32_t device;
	} function;
	uint64_t sent_until;  /* step in which what it sends through the host is awaited no more */
	uint64_t backward_ns; /* end of the last function of the backward pass */
	/* its last waits in code that has no lines: a circle */
	struct {
		uint32_t spot;
		uint64_t begin_ns;
	} unlined[MODEL_UNLINED];
	uint32_t unlined_count;
	uint64_t behind_ns, behind_from_ns; /* the same of launches, and begin of the first */
};

/* A record that is kept until enough is known to count it. */
struct model_prefix {
	struct record record;
	uint32_t thread;
};

/* A thread that held Python's lock while another one waited for it. */
#define MODEL_HOLDERS 16u
struct model_holder {
	uint32_t tid; /* 0: free */
	uint64_t ns;
};

#endif
