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

/* Where the first two sizes of a grid lie, in a record as in a dim3. */
#define LAUNCH_GRID_XY                                                                             \
	(record_bits_LAUNCH_grid_x(UINT64_MAX) | record_bits_LAUNCH_grid_y(UINT64_MAX))

/*
 * As record.def lays them out. x and y come in one register and are used as such; what no device
 * allows (y or z of a grid, any of a block, beyond 16 bits) is cut. The casts say where 32 bits are
 * enough, which saves instructions.
 */
static inline uint64_t launch_grid(const dim3 *grid)
{
	uint64_t xy;
	memcpy(&xy, grid, sizeof(xy));
	return (xy & LAUNCH_GRID_XY) | record_bits_LAUNCH_grid_z(grid->z);
}

static inline uint64_t launch_block(const dim3 *block)
{
	uint64_t xy;
	memcpy(&xy, block, sizeof(xy));
	/* In a record y lies 16 bits lower than in a dim3. */
	uint64_t y = xy >> 16 & record_bits_LAUNCH_block_y(UINT64_MAX);
	return (uint32_t)(record_bits_LAUNCH_block_x(xy) | y) |
	       record_bits_LAUNCH_block_z((uint16_t)block->z);
}

/* The same for sizes that come one by one. */
static inline uint64_t launch_grid_of(unsigned x, unsigned y, unsigned z)
{
	return record_bits_LAUNCH_grid_x(x) | record_bits_LAUNCH_grid_y((uint16_t)y) |
	       record_bits_LAUNCH_grid_z(z);
}

static inline uint64_t launch_block_of(unsigned x, unsigned y, unsigned z)
{
	uint32_t xy = (uint32_t)(record_bits_LAUNCH_block_x(x) | record_bits_LAUNCH_block_y(y));
	return xy | record_bits_LAUNCH_block_z((uint16_t)z);
}

static inline enum kernel_form launch_form(const struct hook_call *call)
{
	if ((call->flags & HOOK_DRIVER) != 0)
		return KERNEL_FUNCTION;
	bool has_handle =
		call->id == HOOK___cudaLaunchKernel || call->id == HOOK___cudaLaunchKernel_ptsz;
	return has_handle ? KERNEL_HANDLE : KERNEL_STUB;
}

/* grid and block are packed. */
static inline __attribute__((always_inline)) void capture_launch_sizes(CAPTURE_CALL,
	const void *function, uint64_t grid, uint64_t block, size_t shared, const void *stream,
	uint32_t flags)
{
	struct record *record = capture_begin(call, result, RECORD_LAUNCH);
	if (record == NULL)
		return;
	record->name = kernel_name(function, launch_form(call), result);
	record->stream = (uint64_t)(uintptr_t)stream;
	record->a = grid;
	record->b = block | capture_device_bits();
	record->c = (uint32_t)shared;
	record->d = capture_flags(call, stream, flags | RECORD_ASYNC);
	collector_commit();
}

static inline __attribute__((always_inline)) void capture_launch(CAPTURE_CALL, const void *function,
	const dim3 *grid, const dim3 *block, size_t shared, const void *stream, uint32_t flags)
{
	capture_launch_sizes(call, result, function, launch_grid(grid), launch_block(block), shared,
		stream, flags);
}

#endif
