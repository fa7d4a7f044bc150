/* SPDX-License-Identifier: MIT */
/* Stand-in for the part of libcusolver that programs ask before they use it: version, handle. */
#include <stdlib.h>

#include "launcher.h"
#include "version.h"

enum {
	SUCCESS = 0,
	NOT_INITIALIZED = 1,
	ALLOC_FAILED = 2,
	INVALID_VALUE = 3,
	VERSION = CUDART_MAJOR == 12 ? 11703 : 12100
};

struct solver {
	launch_stream stream;
};

VERSION_API(cusolverGetVersion, int *ret_version)
{
	*ret_version = VERSION;
	return SUCCESS;
}

VERSION_API(cusolverGetProperty, int type, int *ret_value)
{
	return version_part(VERSION, type, ret_value) ? INVALID_VALUE : SUCCESS;
}

VERSION_API(cusolverDnCreate, struct solver **ret_handle)
{
	*ret_handle = calloc(1, sizeof(**ret_handle));
	return *ret_handle ? SUCCESS : ALLOC_FAILED;
}

VERSION_API(cusolverDnDestroy, struct solver *handle)
{
	free(handle);
	return SUCCESS;
}

VERSION_API(cusolverDnSetStream, struct solver *handle, launch_stream stream)
{
	if (!handle)
		return NOT_INITIALIZED;
	handle->stream = stream;
	return SUCCESS;
}
