/* SPDX-License-Identifier: MIT */
/*
 * What the device does, worked out from what the host asks of it and where it has to
 * wait: the times of device operations when the trace holds no device records.
 *
 * Each stream is a queue. An operation begins when it has been enqueued, the one before it on its
 * stream has ended, and the events that its stream waits for have passed. What is certain: when a
 * wait returns, the streams waited for are empty, and what they had to follow is over; while the
 * host waits, the device is busy; from such a return to the next enqueue it is idle. In between,
 * durations are fitted: every kernel has an estimate, all are scaled so that the queue ends when
 * the wait ended (fit.c), and what has been fitted moves the estimates. Same input, same result.
 *
 * Operations are open until a wait closes them, at most DEVICE_OPS_LIMIT at a time; closed
 * ones are kept until the caller retires them, because what the device itself reports
 * about them comes late: at most DEVICE_KEPT_LIMIT in all. Not thread-safe.
 */
#ifndef ANALYZER_DEVICE_H
#define ANALYZER_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/device/estimate.h"
#include "analyzer/device/op.h"
#include "collector/base/queue.h"
#include "collector/format/record.h"

#define DEVICE_OPS_LIMIT    8192u
#define DEVICE_KEPT_LIMIT   32768u
#define DEVICE_STREAM_LIMIT 64u
#define DEVICE_EVENT_LIMIT  1024u
/* Depth of a stream's launch queue: a launch blocks when so many are outstanding. */
#define DEVICE_QUEUE_DEPTH 1024u
#define DEVICE_ALL_STREAMS UINT32_MAX
#define DEVICE_NO_OP       UINT64_MAX

struct device_event {
	uint64_t handle;
	uint64_t op; /* number of the last operation before it */
	uint32_t stream;
};

/* Kept for who wants to see pairs. */
struct device_call {
	struct record record;
	uint32_t thread; /* the owner's */
};

struct device {
	QUEUE(struct device_op) ops;     /* not yet retired, in the order of enqueue */
	QUEUE(struct device_call) calls; /* beside ops: their calls, if they are kept */
	bool keeps_calls;
	uint64_t first_number; /* number of the first of ops */
	uint64_t closed;       /* number of the first open one */
	uint64_t streams[DEVICE_STREAM_LIMIT];
	uint64_t free_ns[DEVICE_STREAM_LIMIT]; /* end of what was closed */
	uint64_t last_op[DEVICE_STREAM_LIMIT]; /* number, or DEVICE_NO_OP */
	uint64_t pending[DEVICE_STREAM_LIMIT]; /* what the next operation has to wait for */
	uint32_t stream_count, last_stream;
	struct device_event events[DEVICE_EVENT_LIMIT];
	double long_ns, all_ns, long_count; /* of recent launches: long ones, all with pauses */
	bool some_long;                     /* there were */
	uint64_t launch_ns;                 /* end of the last one */
	uint64_t blocked_ns;                /* end of the last launch that found the queue full */
	uint64_t blocked_op;                /* its number */
	uint64_t since_empty; /* operations since the device was last known to be empty */
	struct estimates estimates;
};

/* keep_calls: the records of calls are kept beside their operations. NULL when out of memory. */
struct device *device_new(bool keep_calls);
void device_free(struct device *device);

/* Operations that were not retired. */
static inline uint32_t device_count(const struct device *device)
{
	return (uint32_t)device->ops.count;
}

/* Where the next operation will be, to be filled and enqueued in place; NULL: no memory. */
static inline struct device_op *device_next(struct device *device)
{
	return queue_reserve(&device->ops, 1) < 0 ? NULL : &device->ops.items[device->ops.count];
}

static inline uint64_t device_until(const struct device *device)
{
	return device->first_number + device->ops.count;
}

/* Operations that no wait has closed. */
static inline uint32_t device_open(const struct device *device)
{
	return (uint32_t)(device_until(device) - device->closed);
}

static inline bool device_is_full(const struct device *device)
{
	return device_open(device) == DEVICE_OPS_LIMIT;
}

/* The operation of a number; NULL when it was retired. */
static inline struct device_op *device_op(const struct device *device, uint64_t number)
{
	uint64_t index = number - device->first_number; /* none is that far behind */
	return index < device->ops.count ? &device->ops.items[index] : NULL;
}

/* Events by handle: recorded on a stream; a stream waits for one. */
void device_record_event(struct device *device, uint64_t handle, uint32_t stream);
void device_wait_event(struct device *device, uint64_t handle, uint32_t stream);

/* What was known of an event: false when it was never recorded. */
bool device_find_event(
	const struct device *device, uint64_t handle, uint32_t *ret_stream, uint64_t *ret_op);

/* What closes a stretch of operations. */
struct device_close {
	uint64_t wait_begin_ns; /* where the host began to wait */
	uint64_t end_ns;        /* all of it has ended by then */
	uint32_t stream;        /* that was waited for, or DEVICE_ALL_STREAMS */
	uint32_t count;         /* of the oldest operations */
	bool exact;             /* the last one ended then, not earlier: the host waited */
};

/* Mark which of operations first..until - 1, by index, have ended when a stream has. */
void device_await(struct device *device, uint32_t stream, uint32_t first, uint32_t until);

/*
 * Fit begin_ns and end_ns of the first close->count operations and learn from it. The index from
 * which on only their sum is known, because the device was busy until the end; close->count: none.
 */
uint32_t device_fit(struct device *device, const struct device_close *close);

/*
 * Of operations first..until - 1, by number, the time that others between the same two waits may
 * have had as well: that of kernels which were never seen apart from those.
 */
uint64_t device_loose_ns(const struct device *device, uint64_t first, uint64_t until);

/* Between two waits operations first..until - 1 are all of one sort: they are seen apart. */
void device_part(struct device *device, uint64_t first, uint64_t until);

/* Forget the first count operations; streams are free from their ends on. */
void device_retire(struct device *device, uint32_t count);

#endif
