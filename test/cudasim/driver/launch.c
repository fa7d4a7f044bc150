/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../core/copy.h"
#include "../core/kernel.h"
#include "../core/work.h"
#include "driver.h"

#define MAX_BLOCK_THREADS 1024
#define MAX_GRID_YZ       65535

static int check_size(const uint32_t grid[3], const uint32_t block[3])
{
	for (int i = 0; i < 3; i++) {
		if (grid[i] == 0 || block[i] == 0)
			return cudaErrorInvalidValue;
	}
	if (grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ || grid[0] > INT32_MAX)
		return cudaErrorInvalidValue;
	if ((uint64_t)block[0] * block[1] * block[2] > MAX_BLOCK_THREADS || block[2] > 64)
		return cudaErrorInvalidValue;
	return 0;
}

static void describe(
	struct sim_detail *detail, CUkernel kernel, const struct compute_launch *launch)
{
	detail->set |= SIM_SET_KERNEL;
	detail->name = kernel->name;
	memcpy(detail->grid, launch->grid, sizeof(detail->grid));
	memcpy(detail->block, launch->block, sizeof(detail->block));
	detail->shared_bytes = launch->shared_bytes;
}

static int launch(
	struct sim_call *call, CUkernel kernel, const struct compute_launch *shape, CUstream handle)
{
	if (!kernel_is_valid(kernel))
		return cudaErrorInvalidResourceHandle;
	describe(&call->detail, kernel, shape);
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	int result = check_size(shape->grid, shape->block);
	if (result)
		return result;
	struct work work = {.type = WORK_KERNEL, .kernel = kernel, .launch = *shape};
	work.op = (struct sim_op){.kind = OP_KERNEL,
		.engine = ENGINE_NONE,
		.duration_ns = kernel_duration_ns(kernel, shape)};
	describe(&work.op.detail, kernel, shape);
	result = work_submit(call, stream, &work, NULL);
	call_spend(call);
	return result;
}

int sim_cuLaunchKernel(struct sim_call *call, CUkernel function, unsigned grid_x, unsigned grid_y,
	unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
	CUstream stream, void **args, void **extra)
{
	struct compute_launch shape = {
		{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, 0, args};
	if (args && extra)
		return cudaErrorInvalidValue;
	return launch(call, function, &shape, stream);
}

int sim_cuLaunchCooperativeKernel(struct sim_call *call, CUkernel function, unsigned grid_x,
	unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
	unsigned shared, CUstream stream, void **args)
{
	return sim_cuLaunchKernel(call, function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
		shared, stream, args, NULL);
}

int sim_cuLaunchKernelEx(struct sim_call *call, const struct cu_launch_config *config,
	CUkernel function, void **args, void **extra)
{
	if (!config)
		return cudaErrorInvalidValue;
	return sim_cuLaunchKernel(call, function, config->grid[0], config->grid[1], config->grid[2],
		config->block[0], config->block[1], config->block[2], config->shared_bytes,
		config->stream, args, extra);
}

/* The call says of itself what the first launch was. */
int sim_cuLaunchCooperativeKernelMultiDevice(struct sim_call *call,
	const struct cu_device_launch *launches, unsigned count, unsigned flags)
{
	struct sim_detail first = {0};
	if (!launches || count == 0 || flags > 3)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < count; i++) {
		const struct cu_device_launch *one = &launches[i];
		struct compute_launch shape = {{one->grid[0], one->grid[1], one->grid[2]},
			{one->block[0], one->block[1], one->block[2]}, one->shared_bytes, 0,
			one->args};
		int result = launch(call, one->function, &shape, one->stream);
		if (i == 0)
			first = call->detail;
		if (result)
			return result;
	}
	call->detail = first;
	return 0;
}
