/* SPDX-License-Identifier: MIT */
/*
 * Operations go to a device (device.h): what is done for each of them, in place where it is the
 * same as for the one before. Part of device.h. Not thread-safe.
 */
#ifndef ANALYZER_DEVICE_ADD_H
#define ANALYZER_DEVICE_ADD_H

#include "analyzer/device/device.h"

/* Handle of the thread's own default stream; below are those of the legacy one, 0 and 1. */
#define DEVICE_STREAM_PER_THREAD 2u

/* As device_stream(), of another one than the last. */
uint32_t device_find_stream(struct device *device, uint64_t key);

/* Index of a stream of a device by its handle; the default streams are one. */
static inline uint32_t device_stream(struct device *device, uint64_t handle, unsigned number)
{
	if (handle <= DEVICE_STREAM_PER_THREAD)
		handle = 0;
	uint64_t key = handle ^ (uint64_t)number << 56;
	bool same = device->last_stream < device->stream_count &&
		    device->streams[device->last_stream] == key;
	return same ? device->last_stream : device_find_stream(device, key);
}

/* The operation where the next one belongs is the next one. */
static inline void device_add_next(
	struct device *device, struct device_op *next, const struct record *call)
{
	next->call_ns = call->begin;
	next->after = device->pending[next->stream];
	device->pending[next->stream] = DEVICE_NO_OP;
	device->last_op[next->stream] = device_until(device);
	device->ops.count++;
	device->since_empty++;
}

/* As device_enqueue(), of one that was made elsewhere, or with its call. */
int device_enqueue_any(
	struct device *device, const struct device_op *op, const struct record *call);

/*
 * Enqueue what a call asked for; stream and estimate are indices. The caller closes when
 * device_is_full() and retires when DEVICE_KEPT_LIMIT is near. 0 or -ENOMEM.
 */
static inline int device_enqueue(
	struct device *device, const struct device_op *op, const struct record *call)
{
	struct device_op *next = &device->ops.items[device->ops.count];
	if (op != next || device->keeps_calls)
		return device_enqueue_any(device, op, call);
	device_add_next(device, next, call); /* it was made in place */
	return 0;
}

#endif
