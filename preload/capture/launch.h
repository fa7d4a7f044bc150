/* SPDX-License-Identifier: MIT */
/*
 * Captures of launches. Inline, because a launch is what programs do hundreds of thousands of
 * times a second, and what is passed in registers need not go through memory. Every slot of a
 * launch is stored once, none is cleared first. Otherwise as capture.h says.
 */
#ifndef PRELOAD_LAUNCH_H
#define PRELOAD_LAUNCH_H

#include "preload/calls/abi.h"
#include "preload/capture/begin.h"
#include "preload/track/kernel.h"

#include <string.h>

/*
 * The 16 bits number at of a field: stored where they lie, they need not be put together, which a
 * compiler would do if it was let. What no device allows (y or z of a grid, any of a block, beyond
 * 16 bits) is cut.
 */
static inline __attribute__((always_inline)) void launch_put(
	uint64_t *field, unsigned at, unsigned value)
{
	((volatile capture_half *)field)[at] = (uint16_t)value;
}

/* As record.def lays them out, but x and y of the grid. */
static inline __attribute__((always_inline)) void launch_put_sizes(
	struct record *record, unsigned grid_z, const unsigned *block)
{
	launch_put(&record->a, 3, grid_z);
	launch_put(&record->b, 0, block[0]);
	launch_put(&record->b, 1, block[1]);
	launch_put(&record->b, 2, block[2]);
	launch_put(&record->b, 3, (unsigned)(capture_device_bits() >> 48));
}

static inline enum kernel_form launch_form(const struct hook_call *call)
{
	if ((call->flags & HOOK_DRIVER) != 0)
		return KERNEL_FUNCTION;
	bool has_handle =
		call->id == HOOK___cudaLaunchKernel || call->id == HOOK___cudaLaunchKernel_ptsz;
	return has_handle ? KERNEL_HANDLE : KERNEL_STUB;
}

/* What is not its size. */
static inline __attribute__((always_inline)) void launch_put_rest(CAPTURE_CALL,
	struct record *record, const void *function, size_t shared, const void *stream,
	uint32_t flags)
{
	record->name = kernel_name(function, launch_form(call), result);
	record->stream = (uint64_t)(uintptr_t)stream;
	record->c = (uint32_t)shared;
	/* Most often a constant, which a choice between two values would hide. */
	record->d = capture_kind_flags(call) | flags | RECORD_ASYNC;
	if (capture_is_captured(call, stream))
		record->d |= RECORD_CAPTURED;
}

static inline __attribute__((always_inline)) void capture_launch(CAPTURE_CALL, const void *function,
	const dim3 *grid, const dim3 *block, size_t shared, const void *stream, uint32_t flags)
{
	struct record *record = capture_begin(call, result, RECORD_LAUNCH);
	if (record == NULL)
		return;
	uint64_t grid_xy;
	memcpy(&grid_xy, grid, sizeof(grid_xy));
	*(volatile uint64_t *)&record->a = grid_xy; /* x and y come in one register */
	launch_put_sizes(record, grid->z, &block->x);
	launch_put_rest(call, result, record, function, shared, stream, flags);
	collector_commit();
}

/* The same for sizes that come one by one, those of the driver. */
static inline __attribute__((always_inline)) void capture_launch_driver(CAPTURE_CALL,
	const void *function, const unsigned *grid, const unsigned *block, size_t shared,
	const void *stream, uint32_t flags)
{
	struct record *record = capture_begin(call, result, RECORD_LAUNCH);
	if (record == NULL)
		return;
	*(volatile capture_word *)&record->a = grid[0];
	launch_put(&record->a, 2, grid[1]);
	launch_put_sizes(record, grid[2], block);
	launch_put_rest(call, result, record, function, shared, stream, flags);
	collector_commit();
}

#endif
