/* SPDX-License-Identifier: MIT */
#include "analyzer/device/device.h"

#include <stdlib.h>

#include "collector/base/hash.h"

struct device *device_new(bool keep_calls)
{
	struct device *device = calloc(1, sizeof(*device));
	if (device == NULL)
		return NULL;
	device->keeps_calls = keep_calls;
	for (uint32_t i = 0; i < DEVICE_STREAM_LIMIT; i++)
		device->last_op[i] = device->pending[i] = DEVICE_NO_OP;
	return device;
}

void device_free(struct device *device)
{
	if (device == NULL)
		return;
	queue_release(&device->ops);
	queue_release(&device->calls);
	estimates_release(&device->estimates);
	free(device);
}

#define EVENT_BITS 10u
_Static_assert(DEVICE_EVENT_LIMIT == 1u << EVENT_BITS, "a slot for every hash");

static uint32_t event_slot(uint64_t handle)
{
	return hash_bits(handle, EVENT_BITS);
}

/* The slot of a handle, or the one to use for it: events are many, the newest matter. */
static struct device_event *find_event(const struct device *device, uint64_t handle)
{
	uint32_t at = event_slot(handle);
	for (uint32_t i = 0; i < 8; i++) {
		const struct device_event *event = &device->events[(at + i) % DEVICE_EVENT_LIMIT];
		if (event->handle == handle || event->handle == 0)
			return (struct device_event *)event;
	}
	return (struct device_event *)&device->events[at];
}

void device_record_event(struct device *device, uint64_t handle, uint32_t stream)
{
	struct device_event *event = find_event(device, handle);
	event->handle = handle;
	event->stream = stream;
	event->op = device->last_op[stream];
}

void device_wait_event(struct device *device, uint64_t handle, uint32_t stream)
{
	uint32_t from;
	uint64_t op;
	if (!device_find_event(device, handle, &from, &op) || op == DEVICE_NO_OP || from == stream)
		return;
	uint64_t pending = device->pending[stream];
	if (pending == DEVICE_NO_OP || op > pending)
		device->pending[stream] = op;
}

bool device_find_event(
	const struct device *device, uint64_t handle, uint32_t *ret_stream, uint64_t *ret_op)
{
	const struct device_event *event = find_event(device, handle);
	if (handle == 0 || event->handle != handle)
		return false;
	*ret_stream = event->stream;
	*ret_op = event->op;
	return true;
}

void device_retire(struct device *device, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct device_op *op = &device->ops.items[i];
		if (op->end_ns > device->free_ns[op->stream])
			device->free_ns[op->stream] = op->end_ns;
	}
	queue_drop(&device->ops, count);
	if (device->keeps_calls)
		queue_drop(&device->calls, count);
	device->first_number += count;
	if (device->closed < device->first_number)
		device->closed = device->first_number;
}
