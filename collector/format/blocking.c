/* SPDX-License-Identifier: MIT */
#include "collector/format/blocking.h"

bool blocking_copy(enum copy_direction direction, enum memory_kind target, uint32_t flags)
{
	if (direction == COPY_DEVICE_TO_DEVICE || direction == COPY_PEER)
		return false;
	if ((flags & RECORD_ASYNC) == 0 || direction == COPY_HOST_TO_HOST)
		return true;
	return direction == COPY_DEVICE_TO_HOST && target == MEMORY_PAGEABLE;
}

bool blocking_copy_on_device(enum copy_direction direction, enum memory_kind target, uint32_t flags)
{
	bool crosses = direction == COPY_HOST_TO_DEVICE || direction == COPY_DEVICE_TO_HOST;
	return crosses && blocking_copy(direction, target, flags);
}

bool blocking_set(enum memory_kind target, uint32_t flags)
{
	return target == MEMORY_PINNED && (flags & RECORD_ASYNC) == 0;
}

bool blocking_release(uint64_t address, uint32_t flags)
{
	return address != 0 && (flags & RECORD_DESTROY) != 0 && (flags & RECORD_ASYNC) == 0;
}
