/* SPDX-License-Identifier: MIT */
/* Stand-in for the part of libcusparse that programs ask before they use it: version, handle. */
#include <stdlib.h>

#include "launcher.h"
#include "version.h"

enum {
	SUCCESS = 0,
	NOT_INITIALIZED = 1,
	ALLOC_FAILED = 2,
	INVALID_VALUE = 3,
	VERSION = CUDART_MAJOR == 12 ? 12508 : 12700
};

struct sparse {
	launch_stream stream;
};

VERSION_API(cusparseGetVersion, const struct sparse *handle, int *ret_version)
{
	(void)handle; /* may be NULL */
	*ret_version = VERSION;
	return SUCCESS;
}

VERSION_API(cusparseGetProperty, int type, int *ret_value)
{
	return version_part(VERSION, type, ret_value) ? INVALID_VALUE : SUCCESS;
}

VERSION_API(cusparseCreate, struct sparse **ret_handle)
{
	*ret_handle = calloc(1, sizeof(**ret_handle));
	return *ret_handle ? SUCCESS : ALLOC_FAILED;
}

VERSION_API(cusparseDestroy, struct sparse *handle)
{
	free(handle);
	return SUCCESS;
}

VERSION_API(cusparseSetStream, struct sparse *handle, launch_stream stream)
{
	if (!handle)
		return NOT_INITIALIZED;
	handle->stream = stream;
	return SUCCESS;
}
