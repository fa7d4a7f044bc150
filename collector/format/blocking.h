/* SPDX-License-Identifier: MIT */
/*
 * Whether a copy or a set holds the host until it is done, as the vendor documents it, from the
 * fields of its record. The recorder says it in the record (RECORD_BLOCKING), the analyzer decides
 * by it whose time a call is. Direction and memory kinds are taken as given: who knows better
 * than the record (COPY_DEFAULT with known ends) resolves them first. A captured call runs nothing
 * and blocks for nothing; asking for it is the caller's job. Pure functions, any thread.
 */
#ifndef COLLECTOR_FORMAT_BLOCKING_H
#define COLLECTOR_FORMAT_BLOCKING_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/value.h"

/*
 * A copy returns only when it is done: synchronous forms with a host end, asynchronous ones
 * into pageable memory and between host addresses. Between device addresses nothing waits.
 * target is the kind of memory that it writes, flags are enum record_flags.
 */
bool blocking_copy(enum copy_direction direction, enum memory_kind target, uint32_t flags);

/* The same, and the device is what it waits for: one end is there. */
bool blocking_copy_on_device(
	enum copy_direction direction, enum memory_kind target, uint32_t flags);

/* A set returns only when it is done: synchronous, of page-locked host memory. */
bool blocking_set(enum memory_kind target, uint32_t flags);

/*
 * Memory is released only when the device has done all that it was asked for, since that may still
 * use it: synchronous forms, of device memory as of page-locked. Of address 0 nothing is released.
 */
bool blocking_release(uint64_t address, uint32_t flags);

#endif
