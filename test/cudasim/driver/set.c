/* SPDX-License-Identifier: MIT */
#include "../core/copy.h"
#include "driver.h"

static int set(struct sim_call *call, CUdeviceptr target, size_t pitch, unsigned element,
	uint32_t value, size_t width, size_t height, CUstream handle, int synchronous)
{
	CUstream stream = stream_of_call(call, handle);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	struct work_set request = {.target = (char *)(uintptr_t)target,
		.width = width,
		.height = height,
		.pitch = pitch,
		.element = element,
		.value = value};
	return set_submit(call, stream, &request, synchronous);
}

/* The twelve forms differ in the size of an element, in rows or not, and in waiting or not. */
/* clang-format off */
#define SET(symbol, async_symbol, type, bytes)                                                     \
	int sim_##symbol(struct sim_call *call, CUdeviceptr target, type value, size_t count)      \
	{                                                                                          \
		return set(call, target, 0, bytes, value, count, 1, NULL, 1);                      \
	}                                                                                          \
	int sim_##async_symbol(struct sim_call *call, CUdeviceptr target, type value,              \
			size_t count, CUstream stream)                                             \
	{                                                                                          \
		return set(call, target, 0, bytes, value, count, 1, stream, 0);                    \
	}
#define SET_ROWS(symbol, async_symbol, type, bytes)                                                \
	int sim_##symbol(struct sim_call *call, CUdeviceptr target, size_t pitch, type value,      \
			size_t width, size_t height)                                               \
	{                                                                                          \
		return set(call, target, pitch, bytes, value, width, height, NULL, 1);             \
	}                                                                                          \
	int sim_##async_symbol(struct sim_call *call, CUdeviceptr target, size_t pitch,            \
			type value, size_t width, size_t height, CUstream stream)                  \
	{                                                                                          \
		return set(call, target, pitch, bytes, value, width, height, stream, 0);           \
	}

SET(cuMemsetD8_v2, cuMemsetD8Async, unsigned char, 1)
SET(cuMemsetD16_v2, cuMemsetD16Async, unsigned short, 2)
SET(cuMemsetD32_v2, cuMemsetD32Async, unsigned, 4)
SET_ROWS(cuMemsetD2D8_v2, cuMemsetD2D8Async, unsigned char, 1)
SET_ROWS(cuMemsetD2D16_v2, cuMemsetD2D16Async, unsigned short, 2)
SET_ROWS(cuMemsetD2D32_v2, cuMemsetD2D32Async, unsigned, 4)
/* clang-format on */
