/* SPDX-License-Identifier: MIT */
/* Stand-in for libcudnn: versions and handles. */
#include <stdlib.h>

#include "launcher.h"

enum {
	SUCCESS = 0,
	BAD_PARAM = 2000,
	ALLOC_FAILED = 1003
};

/* The versions that the wheels were built with; they refuse another. */
#if CUDART_MAJOR == 12
enum {
	MAJOR = 9,
	MINOR = 10,
	PATCH = 2,
	CUDART_VERSION = 12080
};
#else
enum {
	MAJOR = 9,
	MINOR = 26,
	PATCH = 0,
	CUDART_VERSION = 13020
};
#endif

struct cudnn {
	launch_stream stream;
};

const struct cudasim_kernel launcher_kernels[] = {{NULL, NULL, 0, NULL, NULL}};

#define API(result, name, ...)                                                                     \
	LIB_EXPORT result name(__VA_ARGS__);                                                       \
	result name(__VA_ARGS__)

API(size_t, cudnnGetVersion, void)
{
	return MAJOR * 10000 + MINOR * 100 + PATCH;
}

API(size_t, cudnnGetCudartVersion, void)
{
	return CUDART_VERSION;
}

API(int, cudnnGetProperty, int which, int *ret_value)
{
	if (which < 0 || which > 2 || !ret_value)
		return BAD_PARAM;
	*ret_value = which == 0 ? MAJOR : which == 1 ? MINOR : PATCH;
	return SUCCESS;
}

API(int, cudnnCreate, struct cudnn **ret_handle)
{
	*ret_handle = calloc(1, sizeof(**ret_handle));
	return *ret_handle ? SUCCESS : ALLOC_FAILED;
}

API(int, cudnnDestroy, struct cudnn *handle)
{
	free(handle);
	return SUCCESS;
}

API(int, cudnnSetStream, struct cudnn *handle, launch_stream stream)
{
	handle->stream = stream;
	return SUCCESS;
}

API(int, cudnnGetStream, struct cudnn *handle, launch_stream *ret_stream)
{
	*ret_stream = handle->stream;
	return SUCCESS;
}
