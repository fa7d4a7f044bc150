/* SPDX-License-Identifier: MIT */
/*
 * Whether a launch had to wait for room in the device's queue. A preempted thread makes one long
 * launch; a full queue makes them take most of the time. Not thread-safe.
 */
#ifndef ANALYZER_DEVICE_FULL_H
#define ANALYZER_DEVICE_FULL_H

#include "analyzer/device/device.h"

#define DEVICE_RECENT_SHARE (1.0 / 256)

/* As device_was_full(), where launches were long of late. */
bool device_may_be_full(struct device *device, uint64_t begin_ns, uint64_t end_ns, bool is_long);

/*
 * A launch call took from begin_ns to end_ns. True when it had to wait for room in the queue: so
 * much is outstanding that it may be full, the call took longer than long_ns, and that is no
 * exception.
 */
static inline bool device_was_full(
	struct device *device, uint64_t begin_ns, uint64_t end_ns, uint64_t long_ns)
{
	bool is_long = end_ns - begin_ns > long_ns;
	double pause = (double)(end_ns - (device->launch_ns != 0 ? device->launch_ns : begin_ns));
	device->launch_ns = end_ns;
	device->all_ns += pause - device->all_ns * DEVICE_RECENT_SHARE;
	if (!is_long && !device->some_long)
		return false;
	return device_may_be_full(device, begin_ns, end_ns, is_long);
}

#endif
