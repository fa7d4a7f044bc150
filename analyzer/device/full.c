/* SPDX-License-Identifier: MIT */
#include "analyzer/device/full.h"

#define FULL_TIME_SHARE 0.3
#define FULL_COUNT      2.5
/* Launches through the driver fill the queue as well, and may not be in the trace. */
#define FULL_FROM (DEVICE_QUEUE_DEPTH / 2)

/* Less than this is nothing beside a launch, and slow to reckon with. */
#define FORGOTTEN 1e-200

static void forget_long(struct device *device)
{
	if (device->long_ns < FORGOTTEN)
		device->long_ns = 0;
	if (device->long_count < FORGOTTEN)
		device->long_count = 0;
	device->some_long = device->long_ns > 0 || device->long_count > 0;
}

bool device_may_be_full(struct device *device, uint64_t begin_ns, uint64_t end_ns, bool is_long)
{
	device->long_ns +=
		(is_long ? (double)(end_ns - begin_ns) : 0) - device->long_ns * DEVICE_RECENT_SHARE;
	device->long_count += (is_long ? 1 : 0) - device->long_count * DEVICE_RECENT_SHARE;
	device->some_long = true;
	if (!is_long || device->since_empty < FULL_FROM || device->long_count < FULL_COUNT ||
		device->long_ns < FULL_TIME_SHARE * device->all_ns) {
		forget_long(device);
		return false;
	}
	device->blocked_ns = end_ns;
	device->blocked_op = device_until(device);
	return true;
}
