/* SPDX-License-Identifier: MIT */
#include "analyzer/device/add.h"

#include <errno.h>

uint32_t device_find_stream(struct device *device, uint64_t key)
{
	for (uint32_t i = 0; i < device->stream_count; i++)
		if (device->streams[i] == key)
			return device->last_stream = i;
	if (device->stream_count == DEVICE_STREAM_LIMIT)
		return DEVICE_STREAM_LIMIT - 1;
	device->streams[device->stream_count] = key;
	device->last_stream = device->stream_count;
	return device->stream_count++;
}

int device_enqueue_any(struct device *device, const struct device_op *op, const struct record *call)
{
	struct device_op *slot = device_next(device);
	if (slot == NULL)
		return -ENOMEM;
	if (slot != op)
		*slot = *op;
	if (device->keeps_calls &&
		queue_push(&device->calls, ((struct device_call){.record = *call})) < 0)
		return -ENOMEM;
	device_add_next(device, slot, call);
	return 0;
}
